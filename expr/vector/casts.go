package vector

import (
	"math"

	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/numeric"
)

// same are the casts of numbers that change nothing.
var same = map[[2]types.OID]bool{
	{types.OIDInt2, types.OIDInt4}:     true,
	{types.OIDInt2, types.OIDInt8}:     true,
	{types.OIDInt4, types.OIDInt8}:     true,
	{types.OIDFloat4, types.OIDFloat8}: true,
}

// cast compiles a cast.
func (s *Set) cast(e expr.Cast) node {
	from, to := e.Arg.Type().OID, e.To.OID
	if uncast := expr.Uncast(e); e.To.Mod < 0 && (e.Fn == nil || same[[2]types.OID{from, to}]) {
		return s.node(e.Arg)
	} else if _, still := uncast.(expr.Cast); !still {
		return s.node(uncast)
	}
	return s.strict([]expr.Expr{e.Arg}, overColumns(e).Eval).with(castKernel(e), to, from)
}

// castKernel is the kernel of a cast, nil if it has none.
func castKernel(e expr.Cast) kernel {
	from, to := e.Arg.Type().OID, e.To.OID
	switch {
	case e.To.Mod >= 0 && e.Fn == nil && from == types.OIDNumeric && to == types.OIDNumeric:
		return withinModifier(e.To.Mod)
	case e.To.Mod >= 0 || e.Fn == nil:
		return nil
	}
	return casts[[2]types.OID{from, to}]
}

// withinModifier is the kernel of a cast to numeric(precision, scale) of numbers that are such.
func withinModifier(mod int32) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		out.Scale = args[0].Scale
		for _, i := range sel {
			n := numeric.Small{Coefficient: args[0].Ints[i], Scale: out.Scale}
			if !n.Within(mod) {
				return false
			}
			out.Ints[i] = n.Coefficient
		}
		return true
	}
}

// casts are the kernels of casts.
var casts = func() map[[2]types.OID]kernel {
	out := map[[2]types.OID]kernel{
		{types.OIDInt8, types.OIDInt4}:      narrowed(math.MaxInt32),
		{types.OIDInt8, types.OIDInt2}:      narrowed(math.MaxInt16),
		{types.OIDInt4, types.OIDInt2}:      narrowed(math.MaxInt16),
		{types.OIDNumeric, types.OIDFloat8}: numericsToFloats,
		{types.OIDBpchar, types.OIDText}:    withoutBlanks,
		{types.OIDBpchar, types.OIDVarchar}: withoutBlanks,
		{types.OIDDate, types.OIDTimestamp}: unaryOf(func(day int64) (int64, bool) {
			return day * calendar.MicrosPerDay, isMidnight(day)
		}),
		{types.OIDTimestamp, types.OIDDate}: unaryOf(func(at int64) (int64, bool) {
			return calendar.FloorDiv(at, calendar.MicrosPerDay), calendar.IsFinite(at)
		}),
	}
	for oid, most := range map[types.OID]int64{
		types.OIDInt2: math.MaxInt16, types.OIDInt4: math.MaxInt32, types.OIDInt8: math.MaxInt64} {
		out[[2]types.OID{oid, types.OIDNumeric}] = intsToNumerics
		out[[2]types.OID{oid, types.OIDFloat8}] = intsToFloats
		out[[2]types.OID{types.OIDNumeric, oid}] = numericsToInts(most)
		out[[2]types.OID{types.OIDFloat8, oid}] = floatsToInts(most)
	}
	return out
}()

// narrowed leaves the least number of a type to the function.
func narrowed(most int64) kernel {
	return unaryOf(func(x int64) (int64, bool) { return x, -most <= x && x <= most })
}

func intsToNumerics(args []*types.Vector, out *types.Vector, sel []int32) bool {
	out.Scale = 0
	for _, i := range sel {
		n := args[0].Ints[i]
		if n == math.MinInt64 {
			return false
		}
		out.Ints[i] = n
	}
	return true
}

func intsToFloats(args []*types.Vector, out *types.Vector, sel []int32) bool {
	for _, i := range sel {
		out.Floats[i] = float64(args[0].Ints[i])
	}
	return true
}

func numericsToFloats(args []*types.Vector, out *types.Vector, sel []int32) bool {
	for _, i := range sel {
		f, exact := numeric.Small{Coefficient: args[0].Ints[i], Scale: args[0].Scale}.Float()
		if !exact {
			return false
		}
		out.Floats[i] = f
	}
	return true
}

// withoutBlanks are the texts of char(n).
func withoutBlanks(args []*types.Vector, out *types.Vector, sel []int32) bool {
	put := putter{out: out}
	for _, i := range sel {
		put.text(int(i), args[0].Compared(int(i)))
	}
	put.end()
	return true
}

// numericsToInts rounds half away from zero.
func numericsToInts(most int64) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		one, ok := numeric.Small{Coefficient: 1}.Scaled(args[0].Scale)
		if !ok {
			return false
		}
		for _, i := range sel {
			whole := quotientOf(args[0].Ints[i], one, true)
			if whole > most || whole < -most {
				return false
			}
			out.Ints[i] = whole
		}
		return true
	}
}

// floatsToInts rounds half to even.
func floatsToInts(most int64) kernel {
	limit := float64(min(most, 1<<53))
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		for _, i := range sel {
			f := math.RoundToEven(args[0].Floats[i])
			if !(-limit <= f && f <= limit) {
				return false
			}
			out.Ints[i] = int64(f)
		}
		return true
	}
}
