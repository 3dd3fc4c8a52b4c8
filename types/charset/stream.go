package charset

import (
	"io"
	"slices"
)

// NewReader reads what is in the encoding, which is not UTF-8, as UTF-8.
func (c *Charset) NewReader(r io.Reader) io.Reader { return &reader{set: c, from: r} }

// reader converts what is read, but for the first bytes of a character whose others have not come.
type reader struct {
	set  *Charset
	from io.Reader
	raw  []byte // read, and not converted
	text []byte // converted, and not asked for
	buf  []byte
	err  error
}

// streamRead is how many bytes are read at once.
const streamRead = 32 << 10

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

func (r *reader) fill() {
	room := make([]byte, streamRead)
	n, err := r.from.Read(room)
	r.raw = append(r.raw, room[:n]...)
	ready := len(r.raw)
	if err == nil {
		ready = r.set.whole(r.raw)
	}
	var broken error
	r.buf, broken = r.set.AppendUTF8(r.buf[:0], r.raw[:ready])
	r.text, r.raw = r.buf, slices.Delete(r.raw, 0, ready)
	if r.err = err; broken != nil {
		r.err = broken
	}
}

// whole is how many bytes of a text are whole characters, as far as their lengths say.
func (c *Charset) whole(p []byte) int {
	at := 0
	for at < len(p) {
		n := 1
		if w, ok := c.alphabet.(*wide); ok && p[at] >= 0x80 {
			if at+1 == len(p) {
				return at
			}
			n = w.size(p[at], p[at+1])
		}
		if at+n > len(p) {
			return at
		}
		at += n
	}
	return at
}
