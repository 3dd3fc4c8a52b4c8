package vector

import (
	"math"
	"math/bits"

	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// call is a strict function of two arguments.
type call struct {
	of          expr.Call
	kernel      kernel // nil: it has none
	left, right node
	out         types.Vector
}

// kernel computes a function of vectors of one kind for the selected rows, NULLs aside. It says false if a result is
// beyond what it can say, as one that is an error: then the function is called for each row.
type kernel func(a, b, out *types.Vector, sel []int32) bool

func (n *call) eval(r *run, sel []int32) (*types.Vector, error) {
	a, err := n.left.eval(r, sel)
	if err != nil {
		return nil, err
	}
	b, err := n.right.eval(r, sel)
	if err != nil {
		return nil, err
	}
	rows := r.batch.Len()
	if n.kernel != nil && a.Kind == b.Kind && a.Kind.Plain() {
		n.out.Shape(a.Kind, rows)
		if n.kernel(a, b, &n.out, sel) {
			n.nulls(a, sel, rows)
			n.nulls(b, sel, rows)
			return &n.out, nil
		}
	}
	n.out.Shape(types.KindNull, rows)
	for _, i := range sel {
		x, y := a.Value(int(i)), b.Value(int(i))
		if x.IsNull() || y.IsNull() {
			n.out.Values[i] = types.Null
			continue
		}
		if n.out.Values[i], err = n.of.Fn.Fn2(r.context, x, y); err != nil {
			return nil, err
		}
	}
	return &n.out, nil
}

// nulls makes results NULL where an argument is.
func (n *call) nulls(of *types.Vector, sel []int32, rows int) {
	if !of.HasNulls {
		return
	}
	for _, i := range sel {
		if of.Nulls[i] {
			n.out.SetNull(int(i), rows)
		}
	}
}

// arithmetic is the kernel of a built-in operator of numbers, nil for other functions.
func arithmetic(f *expr.Function) kernel {
	if f.Schema != "" || f.Via != nil || f.Routine != nil || len(f.Args) != 2 {
		return nil
	}
	switch f.Result {
	case types.OIDInt2, types.OIDInt4, types.OIDInt8:
		if of := integers[f.Operator]; of != nil && isInt(f.Args[0]) && isInt(f.Args[1]) {
			return of(map[types.OID]int64{types.OIDInt2: math.MaxInt16, types.OIDInt4: math.MaxInt32,
				types.OIDInt8: math.MaxInt64}[f.Result])
		}
	case types.OIDFloat8:
		if f.Args[0] == types.OIDFloat8 && f.Args[1] == types.OIDFloat8 {
			return floats[f.Operator]
		}
	case types.OIDNumeric:
		if f.Args[0] == types.OIDNumeric && f.Args[1] == types.OIDNumeric {
			return numerics[f.Operator]
		}
	}
	return nil
}

func isInt(of types.OID) bool {
	return of == types.OIDInt2 || of == types.OIDInt4 || of == types.OIDInt8
}

// integers make the kernels of operators of integers, by the greatest result: the least one is left to the function.
var integers = map[string]func(most int64) kernel{
	"+": func(most int64) kernel {
		return func(a, b, out *types.Vector, sel []int32) bool {
			for _, i := range sel {
				x, y := a.Ints[i], b.Ints[i]
				z := x + y
				if (z > x) != (y > 0) && y != 0 || z > most || z < -most {
					return false
				}
				out.Ints[i] = z
			}
			return true
		}
	},
	"-": func(most int64) kernel {
		return func(a, b, out *types.Vector, sel []int32) bool {
			for _, i := range sel {
				x, y := a.Ints[i], b.Ints[i]
				z := x - y
				if (z < x) != (y > 0) && y != 0 || z > most || z < -most {
					return false
				}
				out.Ints[i] = z
			}
			return true
		}
	},
	"*": func(most int64) kernel {
		return func(a, b, out *types.Vector, sel []int32) bool {
			for _, i := range sel {
				z, fits := product(a.Ints[i], b.Ints[i])
				if !fits || z > most || z < -most {
					return false
				}
				out.Ints[i] = z
			}
			return true
		}
	},
}

// product is a * b; false: it may not fit.
func product(a, b int64) (int64, bool) {
	high, low := bits.Mul64(uint64(a), uint64(b))
	signed := int64(high) - a>>63&b - b>>63&a // the upper half of the signed product
	return int64(low), signed == int64(low)>>63
}

// floats are the kernels of operators of float8, which leave what overflows or underflows to the function.
var floats = map[string]kernel{
	"+": floatKernel(func(x, y float64) float64 { return x + y }),
	"-": floatKernel(func(x, y float64) float64 { return x - y }),
	"*": func(a, b, out *types.Vector, sel []int32) bool {
		for _, i := range sel {
			z := a.Floats[i] * b.Floats[i]
			if z == 0 || z-z != 0 { // 0, an infinity or NaN
				return false
			}
			out.Floats[i] = z
		}
		return true
	},
}

func floatKernel(of func(x, y float64) float64) kernel {
	return func(a, b, out *types.Vector, sel []int32) bool {
		for _, i := range sel {
			z := of(a.Floats[i], b.Floats[i])
			if z-z != 0 {
				return false
			}
			out.Floats[i] = z
		}
		return true
	}
}

// numerics are the kernels of operators of numerics, of which each side has one scale.
var numerics = map[string]kernel{
	"+": numericSum(numeric.Small.Add),
	"-": numericSum(numeric.Small.Sub),
	"*": func(a, b, out *types.Vector, sel []int32) bool {
		if out.Scale = a.Scale + b.Scale; out.Scale > numeric.MaxSmallScale {
			return false
		}
		for _, i := range sel {
			z, fits := product(a.Ints[i], b.Ints[i])
			if !fits || z == math.MinInt64 {
				return false
			}
			out.Ints[i] = z
		}
		return true
	},
}

func numericSum(of func(a, b numeric.Small) (numeric.Small, bool)) kernel {
	return func(a, b, out *types.Vector, sel []int32) bool {
		out.Scale = max(a.Scale, b.Scale)
		for _, i := range sel {
			z, fits := of(numeric.Small{Coefficient: a.Ints[i], Scale: a.Scale},
				numeric.Small{Coefficient: b.Ints[i], Scale: b.Scale})
			if !fits {
				return false
			}
			out.Ints[i] = z.Coefficient
		}
		return true
	}
}
