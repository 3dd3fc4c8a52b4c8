package keys

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/internal/valuetest"
	"zproxy/types"
)

// dimensionTypes are those of valuetest.Types that can be a dimension.
func dimensionTypes() []types.T {
	var out []types.T
	for _, t := range valuetest.Types() {
		if part.CanBeDimension(t) {
			out = append(out, t)
		}
	}
	return out
}

// TestCornersHoldTheRowsBetween checks that the box around a range holds every row whose
// address is in it.
func TestCornersHoldTheRowsBetween(t *testing.T) {
	r := newRand(t)
	kinds := dimensionTypes()
	bounded := 0
	for range 3000 {
		var columns []types.T
		var dims []catalog.Dimension
		for i := range 1 + r.IntN(3) {
			columns = append(columns, kinds[r.IntN(len(kinds))])
			dims = append(dims, randomDimension(r, uint32(i+1), columns[i]))
		}
		codec := zorderCodec(t, table(append(columns, types.Int8)...), dims)
		address := func() ([]byte, types.Row) {
			row := make(types.Row, len(dims)+1)
			for i := range dims {
				row[i] = behind(r, dims[i], columns[i], valuetest.Random(r, columns[i]))
			}
			return codec.curve.appendAddress(nil, row), row
		}
		lo, _ := address()
		hi, _ := address()
		if bytes.Compare(lo, hi) > 0 {
			lo, hi = hi, lo
		}
		low, high := codec.Corners(lo, hi)
		for range 30 {
			z, row := address()
			if bytes.Compare(z, lo) < 0 || bytes.Compare(z, hi) > 0 {
				continue
			}
			for i := range dims {
				if !between(low[i], row[i], high[i]) {
					t.Fatalf("%v, %+v: %v is not between %v and %v", columns[i], dims[i], row[i], low[i], high[i])
				}
				if !low[i].IsNull() || !high[i].IsNull() {
					bounded++
				}
			}
		}
	}
	if bounded < 1000 {
		t.Errorf("only %d values were between bounds", bounded)
	}
}

// between says whether a value is between two corners, as exactly as these are known.
func between(low, v, high types.Value) bool {
	if v.IsNull() {
		return high.IsNull()
	}
	if low.Kind() == types.KindBpchar && low.Text() == "" {
		low = types.Null
	}
	switch v.Kind() {
	case types.KindNumeric:
		low, v, high = rounded(low, -1), rounded(v, 0), rounded(high, 1)
	case types.KindText, types.KindBpchar, types.KindBytes:
		if !high.IsNull() && strings.HasPrefix(v.Text(), high.Text()) {
			high = types.Null
		}
	case types.KindInterval, types.KindTimetz: // as their codes are compared
		of := func(v types.Value) types.Value {
			if v.IsNull() {
				return v
			}
			if v.Kind() == types.KindInterval {
				return types.NewInt(v.Interval().Length())
			}
			return types.NewInt(types.UTCOfTimetz(v))
		}
		low, v, high = of(low), of(v), of(high)
	}
	return (low.IsNull() || types.Compare(low, v) <= 0) && (high.IsNull() || types.Compare(v, high) <= 0)
}

// rounded is a numeric as a double that is moved by the fifteenth digit.
func rounded(v types.Value, by float64) types.Value {
	if v.IsNull() {
		return v
	}
	f, _ := v.Numeric().Float64()
	if by != 0 && !math.IsInf(f, 0) && f == f {
		f += by * math.Abs(f) * 1e-14
	}
	return types.NewFloat(f)
}

// TestCornersAreTight takes a range of one address: no value of another code is in its box.
func TestCornersAreTight(t *testing.T) {
	r := newRand(t)
	for _, typ := range dimensionTypes() {
		switch typ.Kind() {
		case types.KindText, types.KindBpchar, types.KindBytes, types.KindNumeric:
			continue // these are shown less exactly
		}
		for range 300 {
			checkTight(t, r, typ)
		}
	}
}

func checkTight(t *testing.T, r *rand.Rand, typ types.T) {
	t.Helper()
	dim := randomDimension(r, 1, typ)
	codec := zorderCodec(t, table(typ, types.Int8), []catalog.Dimension{dim})
	d := &codec.curve.dims[0]
	v := types.Null
	for v.IsNull() {
		v = valuetest.Random(r, typ)
	}
	code := codec.curve.appendAddress(nil, types.Row{v, types.Null})
	low, high := codec.Corners(code, code)
	for _, corner := range []types.Value{low[0], high[0]} {
		if corner.IsNull() {
			continue
		}
		of := codec.curve.appendAddress(nil, types.Row{corner, types.Null})
		if !bytes.Equal(of, code) {
			t.Fatalf("%v, %+v: the corner %v of %v has the code %x, not %x (%d bits)", typ, dim, corner, v, of, code,
				d.bits)
		}
	}
}
