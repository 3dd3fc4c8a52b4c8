package integer

import "math"

// Add is a sum; false: it does not fit.
func Add(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum < a) == (b < 0)
}

// Sub is a difference; false: it does not fit.
func Sub(a, b int64) (int64, bool) {
	difference := a - b
	return difference, (difference > a) == (b < 0)
}

// Mul is a product; false: it does not fit.
func Mul(a, b int64) (int64, bool) {
	product := a * b
	return product, a == 0 || product/a == b && !(a == -1 && b == math.MinInt64)
}
