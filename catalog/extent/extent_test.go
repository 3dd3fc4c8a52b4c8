package extent

import (
	"hash/maphash"
	"math"
	"slices"
	"testing"

	"zproxy/types"
)

var seed = maphash.MakeSeed()

func write(c *Cell, values ...types.Value) {
	c.Written(func(r Rows) {
		for _, v := range values {
			r.Value(7, maphash.Bytes(seed, types.AppendKey(nil, v)), v)
			r.Entry(9, func() uint64 { return uint64(v.Int()) })
		}
	})
}

func TestColumnOfWrittenRows(t *testing.T) {
	c := &Cell{}
	if _, ok := c.Column(7, 10); ok {
		t.Error("something is known of nothing")
	}
	for i := range 30000 {
		write(c, types.NewInt(int64(i%500)))
	}
	write(c, types.Null)
	got, ok := c.Column(7, 10)
	if !ok || math.Abs(got.Distinct-500) > 25 || len(got.Histogram) != pieces+1 || got.Common != nil || got.Nulls == 0 {
		t.Errorf("got %+v, %v", got, ok)
	}
	if _, ok := c.Column(8, 10); ok {
		t.Error("another column is known")
	}
}

// TestPartOfTheRows has written a few rows of many.
func TestPartOfTheRows(t *testing.T) {
	c := &Cell{}
	for i := range 900 {
		write(c, types.NewInt(int64(i)))
	}
	if got, ok := c.Column(7, 100000); ok {
		t.Errorf("too few rows: %+v", got)
	}
	for i := range 1100 {
		write(c, types.NewInt(int64(900+i)))
	}
	got, ok := c.Column(7, 100000)
	if !ok || math.Abs(got.Distinct-100000) > 8000 {
		t.Errorf("got %+v, %v", got, ok)
	}
	few := &Cell{}
	for i := range 2000 {
		write(few, types.NewInt(int64(i%10)))
	}
	if got, ok := few.Column(7, 100000); !ok || math.Abs(got.Distinct-10) > 1 {
		t.Errorf("got %+v, %v", got, ok)
	}
}

// TestSkew has one value in half of the rows, and the others between 1 and 1000, most of them low.
func TestSkew(t *testing.T) {
	c := &Cell{}
	for i := range 20000 {
		v := int64(0)
		if x := float64(i%1000) / 1000; i%2 == 1 {
			v = 1 + int64(1000*x*x)
		}
		write(c, types.NewInt(v))
	}
	got, ok := c.Column(7, 10)
	if !ok || len(got.Common) == 0 || got.Common[0].Value.Int() != 0 || math.Abs(got.Common[0].Share-0.5) > 0.05 {
		t.Fatalf("got %+v, %v", got.Common, ok)
	}
	if middle := got.Histogram[len(got.Histogram)/2].Int(); middle < 200 || middle > 300 {
		t.Errorf("half of the others are below %d", middle)
	}
	sketch := c.Sketch(9, 10)
	if len(sketch) != sampled || !slices.IsSorted(sketch) {
		t.Errorf("%d addresses", len(sketch))
	}
	few := &Cell{}
	write(few, types.NewInt(1), types.NewInt(2), types.NewInt(3))
	if few.Sketch(9, 1e6) != nil || few.Sketch(10, 1e6) != nil {
		t.Error("3 rows of a million tell nothing")
	}
}

// TestWideValues keeps no ends of values that are too wide, and of none that have no order.
func TestWideValues(t *testing.T) {
	c := &Cell{}
	c.Written(func(r Rows) {
		for i := range 100 {
			wide := types.NewText(string(make([]byte, 100*i)))
			r.Value(7, maphash.Bytes(seed, types.AppendKey(nil, wide)), wide)
		}
	})
	if got, ok := c.Column(7, 10); !ok || got.Histogram != nil || math.Abs(got.Distinct-100) > 5 {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestNilHoldsNothing(t *testing.T) {
	var c *Cell
	c.Set(Extent{Rows: 1})
	write(c, types.NewInt(1))
	if _, ok := c.Column(7, 10); ok || c.Get() != (Extent{}) || c.Sketch(9, 10) != nil {
		t.Error("a nil cell holds something")
	}
}
