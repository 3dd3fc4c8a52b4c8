package zorder

import "math"

// FromFloat64 is the number of a code that Float64 appends.
func FromFloat64(code uint64) float64 {
	if code>>63 == 0 {
		return math.Float64frombits(^code)
	}
	return math.Float64frombits(code ^ 1<<63)
}

// FromFloat32 is the number of a code that Float32 appends.
func FromFloat32(code uint32) float32 {
	if code>>31 == 0 {
		return math.Float32frombits(^code)
	}
	return math.Float32frombits(code ^ 1<<31)
}
