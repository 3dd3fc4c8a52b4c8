package types

import "testing"

// BenchmarkFormats reads and prints one value of each type in both formats.
func BenchmarkFormats(b *testing.B) {
	for _, c := range []struct {
		typ  T
		text string
	}{
		{Int4, "123456"}, {Float8, "0.1234"}, {Numeric, "12345.67"}, {Text, "some text"},
		{Date, "2020-02-29"}, {Timestamp, "2020-02-29 12:34:56.789"}, {UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	} {
		v, err := ParseText(c.text, c.typ, nil)
		if err != nil {
			b.Fatal(err)
		}
		buf := make([]byte, 0, 64)
		p := AppendBinary(nil, v, c.typ)
		b.Run("ParseText/"+c.typ.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParseText(c.text, c.typ, nil)
			}
		})
		b.Run("AppendText/"+c.typ.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				AppendText(buf, v, c.typ, nil)
			}
		})
		b.Run("ParseBinary/"+c.typ.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ParseBinary(p, c.typ)
			}
		})
		b.Run("AppendBinary/"+c.typ.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				AppendBinary(buf, v, c.typ)
			}
		})
	}
}
