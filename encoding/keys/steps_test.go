package keys

import (
	"math"
	"slices"
	"testing"

	"zproxy/types"
)

// TestEven holds that the knots of floats and numerics are as far from each other as values are, not as their codes.
func TestEven(t *testing.T) {
	for _, typ := range []types.T{types.Float4, types.Float8, types.Numeric} {
		value := func(f float64) types.Value {
			if typ.Kind() == types.KindNumeric {
				text := types.FormatText(types.NewFloat(f), types.Float8, &types.Env{})
				n, err := types.ParseText(text, typ, &types.Env{})
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			return types.NewFloat(f)
		}
		code := func(f float64) uint64 { return Code(value(f), typ) }
		m := Even(code(-90), code(90), typ)
		if len(m.Knots) != pieces+1 || !slices.IsSorted(m.Knots) {
			t.Fatalf("%v: %d knots, in order %t", typ, len(m.Knots), slices.IsSorted(m.Knots))
		}
		for _, f := range []float64{-90, -45, 0, 22.5, 45, 90} {
			first, last := m.Code(code(-90), 32), m.Code(code(90), 32)
			at := float64(m.Code(code(f), 32)-first) / float64(last-first)
			if want := (f + 90) / 180; math.Abs(at-want) > 1e-6 {
				t.Errorf("%v %v is at %v, want %v", typ, f, at, want)
			}
		}
		low, high := Grown(code(10), code(20), [2]uint64{code(-math.MaxFloat32), code(18)}, typ)
		if low != code(5) || high != code(18) {
			t.Errorf("%v: 10 to 20 grow to %v and %v", typ, number(low, typ), number(high, typ))
		}
	}
	if m := Even(3, 9, types.Int4); !slices.Equal(m.Knots, []uint64{3, 9}) {
		t.Errorf("codes of integers need no knots between: %v", m.Knots)
	}
}

// TestNumber holds that number is the inverse of the code of a float.
func TestNumber(t *testing.T) {
	for _, f := range []float64{0, 1, -1, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 0.1, -1e-30} {
		for _, typ := range []types.T{types.Float4, types.Float8} {
			want := f
			if typ.OID == types.OIDFloat4 {
				want = float64(float32(f))
			}
			if got := number(Code(types.NewFloat(want), typ), typ); got != want {
				t.Errorf("%v: %v came back as %v", typ, want, got)
			}
		}
	}
}
