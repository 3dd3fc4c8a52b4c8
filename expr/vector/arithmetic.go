package vector

import (
	"math"
	"math/bits"

	"zproxy/types"
	"zproxy/types/numeric"
)

// integerKernels are those of integers. The least number of a type is left to the function.
func integerKernels() map[signature]kernel {
	most := map[types.OID]int64{
		types.OIDInt2: math.MaxInt16, types.OIDInt4: math.MaxInt32, types.OIDInt8: math.MaxInt64}
	out := map[signature]kernel{}
	for a, mostA := range most {
		negative, absolute := negation(mostA), absolute(mostA)
		out[of("-", a)], out[of("@", a)], out[of("abs", a)] = negative, absolute, absolute
		out[of("%", a, a)] = binaryOf(remainder)
		for b, mostB := range most {
			m := max(mostA, mostB)
			out[of("+", a, b)], out[of("-", a, b)], out[of("*", a, b)] = sum(m), difference(m), products(m)
			out[of("/", a, b)] = binaryOf(quotient)
		}
	}
	return out
}

func sum(most int64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0].Ints, args[1].Ints
		for _, i := range sel {
			x, y := a[i], b[i]
			z := x + y
			if (z > x) != (y > 0) && y != 0 || z > most || z < -most {
				return false
			}
			out.Ints[i] = z
		}
		return true
	}
}

func difference(most int64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0].Ints, args[1].Ints
		for _, i := range sel {
			x, y := a[i], b[i]
			z := x - y
			if (z < x) != (y > 0) && y != 0 || z > most || z < -most {
				return false
			}
			out.Ints[i] = z
		}
		return true
	}
}

func products(most int64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0].Ints, args[1].Ints
		for _, i := range sel {
			z, fits := product(a[i], b[i])
			if !fits || z > most || z < -most {
				return false
			}
			out.Ints[i] = z
		}
		return true
	}
}

// product is a * b; false: it may not fit.
func product(a, b int64) (int64, bool) {
	if int64(int32(a)) == a && int64(int32(b)) == b {
		return a * b, true
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	signed := int64(high) - a>>63&b - b>>63&a // the upper half of the signed product
	return int64(low), signed == int64(low)>>63
}

// quotient leaves -1 to the function, too: the least number divided by it has no place.
func quotient(x, y int64) (int64, bool) {
	if y == 0 || y == -1 {
		return 0, false
	}
	return x / y, true
}

func remainder(x, y int64) (int64, bool) {
	if y == 0 {
		return 0, false
	}
	return x % y, true
}

func negation(most int64) kernel {
	return unaryOf(func(x int64) (int64, bool) { return -x, x >= -most })
}

func absolute(most int64) kernel {
	return unaryOf(func(x int64) (int64, bool) { return max(x, -x), x >= -most })
}

const float8, num = types.OIDFloat8, types.OIDNumeric

// floatKernels are those of float8, which leave what overflows or underflows to the function.
var floatKernels = map[signature]kernel{
	of("+", float8, float8): floatSum(func(x, y float64) float64 { return x + y }),
	of("-", float8, float8): floatSum(func(x, y float64) float64 { return x - y }),
	of("*", float8, float8): func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0].Floats, args[1].Floats
		for _, i := range sel {
			z := a[i] * b[i]
			if z == 0 || z-z != 0 { // 0, an infinity or NaN
				return false
			}
			out.Floats[i] = z
		}
		return true
	},
	of("/", float8, float8): func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0].Floats, args[1].Floats
		for _, i := range sel {
			z := a[i] / b[i]
			if z == 0 || z-z != 0 {
				return false
			}
			out.Floats[i] = z
		}
		return true
	},
	of("-", float8):   ofFloat(func(x float64) float64 { return -x }),
	of("@", float8):   ofFloat(math.Abs),
	of("abs", float8): ofFloat(math.Abs),

	of("round", float8):   ofFloat(math.RoundToEven),
	of("trunc", float8):   ofFloat(math.Trunc),
	of("ceil", float8):    ofFloat(math.Ceil),
	of("ceiling", float8): ofFloat(math.Ceil),
	of("floor", float8):   ofFloat(math.Floor),
}

func floatSum(f func(x, y float64) float64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0].Floats, args[1].Floats
		for _, i := range sel {
			z := f(a[i], b[i])
			if z-z != 0 {
				return false
			}
			out.Floats[i] = z
		}
		return true
	}
}

func ofFloat(f func(float64) float64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		for _, i := range sel {
			out.Floats[i] = f(args[0].Floats[i])
		}
		return true
	}
}

// numericKernels are those of numerics, of which each vector has one scale.
var numericKernels = map[signature]kernel{
	of("+", num, num): numericSum(1),
	of("-", num, num): numericSum(-1),
	of("*", num, num): func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0], args[1]
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
	of("-", num):   ofNumeric(negation(math.MaxInt64)),
	of("@", num):   ofNumeric(absolute(math.MaxInt64)),
	of("abs", num): ofNumeric(absolute(math.MaxInt64)),

	of("round", num): func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		return rescale(args[0], out, sel, 0, true)
	},
	of("trunc", num): func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		return rescale(args[0], out, sel, 0, false)
	},
	of("round", num, types.OIDInt4): toDigits(true),
	of("trunc", num, types.OIDInt4): toDigits(false),
}

// toDigits is the kernel of numerics with as many digits behind the point as the second argument says, for all rows
// alike.
func toDigits(round bool) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		digits := args[1].Ints[sel[0]]
		for _, i := range sel {
			if args[1].Ints[i] != digits {
				return false
			}
		}
		return 0 <= digits && digits <= numeric.MaxSmallScale && rescale(args[0], out, sel, int32(digits), round)
	}
}

// rescale gives numerics another scale.
func rescale(from, out *types.Vector, sel []int32, scale int32, round bool) bool {
	out.Scale = scale
	if scale >= from.Scale {
		for _, i := range sel {
			var fits bool
			out.Ints[i], fits = numeric.Small{Coefficient: from.Ints[i], Scale: from.Scale}.Scaled(scale)
			if !fits {
				return false
			}
		}
		return true
	}
	by, _ := numeric.Small{Coefficient: 1, Scale: scale}.Scaled(from.Scale)
	for _, i := range sel {
		out.Ints[i] = quotientOf(from.Ints[i], by, round)
	}
	return true
}

// quotientOf is x / by, a power of ten, rounded half away from zero or cut.
func quotientOf(x, by int64, round bool) int64 {
	whole, rest := x/by, x%by
	switch {
	case round && rest > 0 && rest >= by-rest:
		whole++
	case round && rest < 0 && -rest >= by+rest:
		whole--
	}
	return whole
}

// numericSum is the sum of a and so many times b, which is 1 or -1.
func numericSum(times int64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		a, b := args[0], args[1]
		out.Scale = max(a.Scale, b.Scale)
		timesA, _ := numeric.Small{Coefficient: 1, Scale: a.Scale}.Scaled(out.Scale)
		timesB, _ := numeric.Small{Coefficient: 1, Scale: b.Scale}.Scaled(out.Scale)
		mostA, mostB := math.MaxInt64/2/timesA, math.MaxInt64/2/timesB // so that the sum is in range
		timesB *= times
		for _, i := range sel {
			x, y := a.Ints[i], b.Ints[i]
			if x > mostA || x < -mostA || y > mostB || y < -mostB {
				return false
			}
			out.Ints[i] = x*timesA + y*timesB
		}
		return true
	}
}

// ofNumeric is a kernel of coefficients that leaves the scale as it is.
func ofNumeric(of kernel) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		out.Scale = args[0].Scale
		return of(args, out, sel)
	}
}
