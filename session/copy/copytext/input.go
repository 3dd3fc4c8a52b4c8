package copytext

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
)

// maxLine is how long a line can be with its newline, in bytes.
const maxLine = 64 << 20

// firstBuffer is the size of an input's memory to begin with.
const firstBuffer = 64 << 10

// input is a stream with a window: from the beginning of the line to what is read of it.
type input struct {
	source io.Reader
	limit  int // of the window
	buf    []byte
	start  int // of the window in buf
	end    int
	err    error // what ended the stream, or what the window cannot be
}

func (in *input) window() []byte { return in.buf[in.start:in.end] }

// has says whether the window has a byte i, reading as far as it takes.
func (in *input) has(i int) bool {
	for in.end-in.start <= i {
		if !in.fill() {
			return false
		}
	}
	return true
}

// at is byte i of the window, or 0 behind the end of the stream.
func (in *input) at(i int) byte {
	if !in.has(i) {
		return 0
	}
	return in.buf[in.start+i]
}

// seek is the index of the first byte at or behind i that is in a set, and whether there
// is one.
func (in *input) seek(i int, set *[256]bool) (int, bool) {
	for in.has(i) {
		w := in.window()
		for ; i < len(w); i++ {
			if set[w[i]] {
				return i, true
			}
		}
	}
	return i, false
}

// fill makes the window longer, and says whether it could.
func (in *input) fill() bool {
	if in.err != nil {
		return false
	}
	if in.start > 0 {
		in.end = copy(in.buf, in.window())
		in.start = 0
	}
	if in.end == len(in.buf) && !in.grow() {
		return false
	}
	for range 100 {
		n, err := in.source.Read(in.buf[in.end:])
		in.end += n
		in.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	in.err = io.ErrNoProgress
	return false
}

func (in *input) grow() bool {
	if in.end >= in.limit {
		in.err = sqlerr.New(sqlerr.ProgramLimitExceeded, "line of COPY data is too long").
			WithDetail("A line, with the newlines in its quotes, has at most %d bytes.", in.limit)
		return false
	}
	buf := make([]byte, min(max(2*len(in.buf), firstBuffer), in.limit))
	copy(buf, in.buf)
	in.buf = buf
	return true
}

// failure is what ended the stream if that was not its end.
func (in *input) failure() error {
	if in.err == io.EOF {
		return nil
	}
	return in.err
}

// take ends a line of n bytes, and skips a newline behind it. The line is good until the
// window grows.
func (in *input) take(n, newline int) []byte {
	line := in.window()[:n]
	in.start += n + newline
	return line
}

// drain reads the stream to its end and forgets it.
func (in *input) drain() error {
	if in.err == nil {
		_, in.err = io.Copy(io.Discard, in.source)
	}
	if err := in.failure(); err != nil {
		return err
	}
	in.start, in.end, in.err = 0, 0, io.EOF
	return nil
}

// verify wants the first n bytes of the window to be UTF-8 without NUL bytes.
func (in *input) verify(n int) error {
	bad := invalid(in.window()[:n])
	if bad < 0 {
		return nil
	}
	in.has(bad + utf8.UTFMax - 1) // so that the message does not depend on how the stream is cut
	return encodingError(in.window()[bad:])
}

// invalid is the index of the first byte that is not part of a character, or -1.
func invalid(b []byte) int {
	end := len(b)
	if nul := bytes.IndexByte(b, 0); nul >= 0 {
		end = nul
	}
	if !utf8.Valid(b[:end]) {
		for i := 0; ; {
			c, size := utf8.DecodeRune(b[i:end])
			if c == utf8.RuneError && size == 1 {
				return i
			}
			i += size
		}
	}
	if end == len(b) {
		return -1
	}
	return end
}

// encodingError shows the bytes that the first one calls for.
func encodingError(b []byte) error {
	size := 1
	switch c := b[0]; {
	case c&0xe0 == 0xc0:
		size = 2
	case c&0xf0 == 0xe0:
		size = 3
	case c&0xf8 == 0xf0:
		size = 4
	}
	var hex []string
	for _, c := range b[:min(size, len(b))] {
		hex = append(hex, fmt.Sprintf("0x%02x", c))
	}
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, `invalid byte sequence for encoding "UTF8": %s`,
		strings.Join(hex, " "))
}
