package types

import (
	"encoding/binary"
	"math"
)

func floatBits(f float64) uint64      { return math.Float64bits(f) }
func bitsFloat(b uint64) float64      { return math.Float64frombits(b) }
func bigEndian(p []byte) uint64       { return binary.BigEndian.Uint64(p) }
func putBigEndian(p []byte, v uint64) { binary.BigEndian.PutUint64(p, v) }
