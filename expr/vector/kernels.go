package vector

import (
	"maps"

	"zproxy/expr"
	"zproxy/types"
)

// signature is what a built-in function is found by: its sign, or its name if it has none, and the types of its
// arguments.
type signature struct {
	name string
	args [3]types.OID
}

func signatureOf(f *expr.Function) (s signature, ok bool) {
	if f.Schema != "" || f.Via != nil || f.Routine != nil || f.Variadic || len(f.Args) > len(s.args) {
		return s, false
	}
	if s.name = f.Operator; s.name == "" {
		s.name = f.Name
	}
	copy(s.args[:], f.Args)
	return s, true
}

func of(name string, args ...types.OID) signature {
	s := signature{name: name}
	copy(s.args[:], args)
	return s
}

// kernels are those of built-in functions.
var kernels = func() map[signature]kernel {
	out := integerKernels()
	maps.Copy(out, floatKernels)
	maps.Copy(out, numericKernels)
	maps.Copy(out, dateKernels)
	maps.Copy(out, textKernels)
	return out
}()

// kernelOf is the kernel of a call, nil if it has none.
func kernelOf(e expr.Call, c *expr.Context) kernel {
	s, ok := signatureOf(e.Fn)
	if !ok {
		return nil
	}
	if k := kernels[s]; k != nil {
		return k
	}
	if by := unitKernels[s]; by != nil && expr.Fixed(e.Args[0]) {
		return ofUnit(by, c)
	}
	return nil
}

// unaryOf is the kernel of a function of whole numbers that says false where it does not know the result.
func unaryOf(f func(x int64) (int64, bool)) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		from := args[0].Ints
		for _, i := range sel {
			z, ok := f(from[i])
			if !ok {
				return false
			}
			out.Ints[i] = z
		}
		return true
	}
}

// binaryOf is unaryOf for two arguments.
func binaryOf(f func(x, y int64) (int64, bool)) kernel {
	return func(args []*types.Vector, out *types.Vector, sel []int32) bool {
		left, right := args[0].Ints, args[1].Ints
		for _, i := range sel {
			z, ok := f(left[i], right[i])
			if !ok {
				return false
			}
			out.Ints[i] = z
		}
		return true
	}
}
