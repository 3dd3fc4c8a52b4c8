package types

import (
	"math"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// TestAbbreviate holds abbreviations against comparisons.
func TestAbbreviate(t *testing.T) {
	r := newRand(t)
	text := func() string {
		var b [10]byte
		for i := range b {
			b[i] = "\x00a \xff"[r.IntN(4)]
		}
		return string(b[:r.IntN(len(b))])
	}
	for name, random := range map[string]func() Value{
		"int":     func() Value { return NewInt(randomInt(r, 64)) },
		"date":    func() Value { return NewDate(int32(randomInt(r, 32))) },
		"float":   func() Value { return NewFloat(randomFloat(r)) },
		"bool":    func() Value { return NewBool(r.IntN(2) == 0) },
		"text":    func() Value { return NewText(text()) },
		"bpchar":  func() Value { return NewBpchar(text()) },
		"uuid":    func() Value { return NewUUID([16]byte{byte(r.IntN(3)), 7: byte(r.IntN(256)), 15: byte(r.IntN(3))}) },
		"numeric": func() Value { return NewNumeric(randomNumeric(r)) },
		"numerics that are near": func() Value {
			near := []int64{0, 1, 3, 1 << 53, math.MaxInt64 / 1000}
			tens := []int64{1, 10, 100, 1000}[r.IntN(4)]
			return NewNumeric(apd.New(tens*(near[r.IntN(len(near))]+r.Int64N(3)-1), int32(-r.IntN(4))))
		},
	} {
		for range 3000 {
			a, b := random(), random()
			if x, y := Abbreviate(a), Abbreviate(b); x != y && (x < y) != (Compare(a, b) < 0) {
				t.Fatalf("%s: %v and %v are abbreviated %x and %x", name, a, b, x, y)
			}
		}
	}
}
