package copybinary

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"

	"zproxy/sqlerr"
)

func write(rows [][][]byte) []byte {
	out := AppendHeader(nil)
	for _, row := range rows {
		out = AppendRow(out, len(row))
		for _, f := range row {
			if f == nil {
				out = AppendNull(out)
				continue
			}
			out = AppendField(out, f)
		}
	}
	return AppendTrailer(out)
}

// read reads all rows, or those before an error.
func read(r io.Reader, fields int) ([][][]byte, error) {
	var out [][][]byte
	in := NewReader(r, fields)
	for {
		row, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		own := make([][]byte, len(row))
		for i, f := range row {
			own[i] = slices.Clone(f)
		}
		out = append(out, own)
	}
}

func same(a, b [][][]byte) bool {
	return slices.EqualFunc(a, b, func(a, b [][]byte) bool {
		return slices.EqualFunc(a, b, func(a, b []byte) bool { return bytes.Equal(a, b) && (a == nil) == (b == nil) })
	})
}

// What is written is read again, also byte by byte. Broken data is for the scripts of wire,
// which PostgreSQL has answered.
func TestReadsBack(t *testing.T) {
	rows := [][][]byte{{[]byte("one"), nil}, {{}, []byte{0, 255}}, {nil, bytes.Repeat([]byte("x"), 200_000)}}
	for _, r := range []io.Reader{bytes.NewReader(write(rows)), iotest.OneByteReader(bytes.NewReader(write(rows)))} {
		if got, err := read(r, 2); err != nil || !same(got, rows) {
			t.Errorf("%v %q", err, got)
		}
	}
}

// A stream that fails is no stream that ends.
func TestStreamFails(t *testing.T) {
	data := write([][][]byte{{[]byte("one")}, {[]byte("two")}})
	broken := errors.New("broken")
	for n := range data {
		_, err := read(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken)), 1)
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// FuzzReader wants rows or an error of the client's making, and the same byte by byte.
func FuzzReader(f *testing.F) {
	f.Add(write([][][]byte{{[]byte("one"), nil}}), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, fields uint8) {
		whole, err := read(bytes.NewReader(data), int(fields))
		cut, err2 := read(iotest.OneByteReader(bytes.NewReader(data)), int(fields))
		if !same(whole, cut) || (err == nil) != (err2 == nil) {
			t.Errorf("%q %v, byte by byte %q %v", whole, err, cut, err2)
		}
		if err != nil && sqlerr.From(err).Code == sqlerr.InternalError {
			t.Error(err)
		}
	})
}
