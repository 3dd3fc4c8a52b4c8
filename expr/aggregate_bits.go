package expr

import (
	"slices"

	"zproxy/types"
)

// bitAggregates are and, or and exclusive or of integers.
var bitAggregates = slices.Concat(
	foldInts("bit_and", "Bitwise and.", func(a, b int64) int64 { return a & b }),
	foldInts("bit_or", "Bitwise or.", func(a, b int64) int64 { return a | b }),
	foldInts("bit_xor", "Bitwise exclusive or.", func(a, b int64) int64 { return a ^ b }),
)

// foldInts makes the overloads of one of them.
func foldInts(name, doc string, fold func(a, b int64) int64) (all []*Aggregate) {
	for _, oid := range (sig{int2, int4, int8}) {
		all = append(all, &Aggregate{Name: name, Args: sig{oid}, Result: oid, Doc: doc, New: func([]types.T) Accumulator {
			return &foldedInts{fold: fold}
		}})
	}
	return all
}

type foldedInts struct {
	fold   func(a, b int64) int64
	result types.Value
}

// Add implements Accumulator.
func (f *foldedInts) Add(_ *Context, args []types.Value) error {
	switch {
	case args[0].IsNull():
	case f.result.IsNull():
		f.result = args[0]
	default:
		f.result = types.NewInt(f.fold(f.result.Int(), args[0].Int()))
	}
	return nil
}

// Result implements Accumulator.
func (f *foldedInts) Result(*Context) (types.Value, error) { return f.result, nil }
