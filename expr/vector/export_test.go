package vector

import (
	"zproxy/expr"
	"zproxy/types"
)

// HasKernel says whether a function has a kernel, perhaps for some of the values of its first argument.
func HasKernel(f *expr.Function) bool {
	s, ok := signatureOf(f)
	return ok && (kernels[s] != nil || unitKernels[s] != nil)
}

// TakesUnit says whether the first argument of a function is a unit of time.
func TakesUnit(f *expr.Function) bool {
	s, ok := signatureOf(f)
	return ok && unitKernels[s] != nil
}

// Kernels is how many functions have one.
func Kernels() int { return len(kernels) + len(unitKernels) }

// Casts are the types between which casts have kernels, or change nothing.
func Casts() (out [][2]types.OID) {
	for pair := range casts {
		out = append(out, pair)
	}
	for pair := range same {
		out = append(out, pair)
	}
	return out
}
