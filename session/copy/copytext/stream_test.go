package copytext

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"zproxy/sqlerr"
)

// A row is there as soon as its newline is, and the failure of the stream only where the
// data ends.
func TestStreamFails(t *testing.T) {
	for _, data := range []string{"1\n", "1\n2", "1\n2\\", "1\n\\.", "1\n\\.\n", "1\n\\.\nx"} {
		broken := errors.New("broken")
		r := NewReader(io.MultiReader(strings.NewReader(data), iotest.ErrReader(broken)), TextFormat(), []string{"a"})
		if row, err := r.Next(); err != nil || row[0].Text != "1" {
			t.Fatalf("%q: %v, %v", data, row, err)
		}
		for range 2 {
			if row, err := r.Next(); !errors.Is(err, broken) {
				t.Errorf("%q: %v, %v", data, row, err)
			}
		}
	}
}

// A line of the largest size that fits is read, one that is a byte longer is not, and
// neither is one that never ends.
func TestLongLines(t *testing.T) {
	const limit = 3 * firstBuffer
	for _, f := range []Format{TextFormat(), CSVFormat()} {
		for _, size := range []int{limit - 1, limit} {
			line := strings.Repeat("x", size)
			for _, chunk := range []int{1000, limit / 2, 10 * limit} {
				r := NewReader(&chunks{strings.NewReader("short\n" + line + "\nshort\n"), chunk}, f, []string{"a"})
				r.input.limit = limit
				_, err := r.Next()
				if err == nil {
					_, err = r.Next()
				}
				if want := size == limit; want != (sqlerr.From(err).Code == sqlerr.ProgramLimitExceeded) {
					t.Errorf("%d bytes by %d: %v", size, chunk, err)
				}
				if len(r.input.buf) > limit {
					t.Errorf("%d bytes are kept", len(r.input.buf))
				}
			}
		}
	}
}

// chunks reads at most so many bytes at once.
type chunks struct {
	io.Reader
	size int
}

func (c *chunks) Read(p []byte) (int, error) { return c.Reader.Read(p[:min(len(p), c.size)]) }

// FuzzReader wants no panic, and the same from a stream in one piece and byte by byte.
// The marks are a delimiter, a quote and an escape.
func FuzzReader(f *testing.F) {
	f.Add("1\tx\\ty\n\\N\t\n\\.\n", "text", `\N`, "\t")
	f.Add("1,\"x\"\"\n\"\r\n,\\.\r\n\\.\r\n", "csv", "", ",\"\\")
	f.Fuzz(func(t *testing.T, data, format, null, marks string) {
		a := attempt{columns: []string{"a", "b"}, data: data}
		a.options = []Option{{Name: "format", Value: format}, {Name: "null", Value: null}}
		for i, name := range []string{"delimiter", "quote", "escape"} {
			if i < len(marks) {
				a.options = append(a.options, Option{Name: name, Value: marks[i : i+1]})
			}
		}
		whole, cut := a.run(false), a.run(true)
		if whole != cut {
			t.Errorf("in one piece:\n%s\nbyte by byte:\n%s", whole, cut)
		}
	})
}

func BenchmarkReader(b *testing.B) {
	var text, csv, escapes, quotes strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, "%d\t%d.5\tsome text of the row\t2024-01-01\t%d\n", i, i, i%7)
		fmt.Fprintf(&csv, "%d,%d.5,some text of the row,2024-01-01,%d\n", i, i, i%7)
		fmt.Fprintf(&escapes, "%d\t\\N\tsome text\\tof the row\t2024-01-01\t%d\n", i, i%7)
		fmt.Fprintf(&quotes, "%d,,\"some text, \"\"of\"\" the row\",\"2024-01-01\",%d\n", i, i%7)
	}
	for _, bench := range []struct {
		name   string
		format Format
		data   string
	}{
		{"text", TextFormat(), text.String()}, {"csv", CSVFormat(), csv.String()},
		{"escapes", TextFormat(), escapes.String()}, {"quotes", CSVFormat(), quotes.String()},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.data)))
			b.ReportAllocs()
			for b.Loop() {
				r := NewReader(strings.NewReader(bench.data), bench.format, []string{"a", "b", "c", "d", "e"})
				for {
					_, err := r.Next()
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
