package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
)

// message makes a client's message.
func message(kind byte, body string) string {
	head := binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(body)))
	return string(head) + body
}

// TestFramesAnyChunks cuts the same bytes into reads in many ways.
func TestFramesAnyChunks(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 0))
	var bodies []string
	var all strings.Builder
	for range 50 {
		size := random.IntN(100)
		if random.IntN(5) == 0 {
			size = random.IntN(5 * readBuffer)
		}
		body := strings.Repeat(string(rune('a'+random.IntN(26))), size)
		bodies = append(bodies, body)
		all.WriteString(message(msgQuery, body))
	}
	for name, r := range map[string]io.Reader{
		"whole":      strings.NewReader(all.String()),
		"half":       iotest.HalfReader(strings.NewReader(all.String())),
		"one byte":   iotest.OneByteReader(strings.NewReader(all.String())),
		"early EOF":  iotest.DataErrReader(strings.NewReader(all.String())),
		"seven each": &chunkReader{strings.NewReader(all.String()), 7},
	} {
		f := newFrames(r, 1<<20)
		for i, want := range bodies {
			kind, body, err := f.next()
			if err != nil || kind != msgQuery || string(body) != want {
				t.Fatalf("%s, message %d: %c, %d bytes of %d, %v", name, i, kind, len(body), len(want), err)
			}
		}
		if _, _, err := f.next(); err != io.EOF {
			t.Errorf("%s: end: %v", name, err)
		}
	}
}

type chunkReader struct {
	r    io.Reader
	most int
}

func (r *chunkReader) Read(p []byte) (int, error) { return r.r.Read(p[:min(len(p), r.most)]) }

func TestFramesRefuse(t *testing.T) {
	for _, test := range []struct{ bytes, want string }{
		{"!", "invalid frontend message type 33"},
		{"\x00\x00\x00\x00\x04", "invalid frontend message type 0"},
		{"p\x00\x00\x00\x05\x00", "invalid frontend message type 112"},
		{"Q\x00\x00\x00\x03", "invalid message length"},
		{"Q\xff\xff\xff\xff", "invalid message length"},
		{"Q\x00\x10\x00\x05", "invalid message length"},
		{"S\x00\x00\x27\x15", "invalid message length"},
	} {
		f := newFrames(strings.NewReader(test.bytes), 1<<20)
		for range 2 { // an error stays
			_, _, err := f.next()
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Code != sqlerr.ProtocolViolation || e.Message != test.want {
				t.Errorf("%q: %v", test.bytes, err)
			}
		}
	}
}

func TestFramesCutShort(t *testing.T) {
	whole := message(msgQuery, strings.Repeat("x", 2*readBuffer))
	for _, size := range []int{1, 4, 5, 6, readBuffer, len(whole) - 1} {
		if _, _, err := newFrames(strings.NewReader(whole[:size]), 1<<20).next(); err != io.ErrUnexpectedEOF {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

// TestFramesDoNotTrustLengths declares much more than it sends.
func TestFramesDoNotTrustLengths(t *testing.T) {
	head := binary.BigEndian.AppendUint32([]byte{msgQuery}, 1<<30)
	f := newFrames(bytes.NewReader(append(head, make([]byte, 100)...)), 1<<30)
	if _, _, err := f.next(); err != io.ErrUnexpectedEOF {
		t.Error(err)
	}
	if cap(f.large) > 1<<20 {
		t.Errorf("%d bytes were allocated", cap(f.large))
	}
}
