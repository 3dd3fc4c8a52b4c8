package expr

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// Random is the generator behind random(), which lives as long as a session: xoroshiro128**
// (Blackman and Vigna 2018), as in PostgreSQL 15. The zero Random seeds itself.
type Random struct{ s0, s1 uint64 }

// Seed begins the sequence that a number between -1 and 1 decides.
func (r *Random) Seed(f float64) { r.seed(uint64(int64(float64(1<<52-1) * f))) }

// seed fills the state with splitmix64 (Steele, Lea and Flood 2014).
func (r *Random) seed(n uint64) {
	next := func() uint64 {
		n += 0x9e3779b97f4a7c15
		v := (n ^ n>>30) * 0xbf58476d1ce4e5b9
		v = (v ^ v>>27) * 0x94d049bb133111eb
		return v ^ v>>31
	}
	r.s0, r.s1 = next(), next()
}

// Float is a number from 0 to below 1.
func (r *Random) Float() float64 {
	if r.s0|r.s1 == 0 {
		r.seed(rand.Uint64())
	}
	s0, x := r.s0, r.s1^r.s0
	v := bits.RotateLeft64(s0*5, 7) * 9
	r.s0 = bits.RotateLeft64(s0, 24) ^ x ^ x<<16
	r.s1 = bits.RotateLeft64(x, 37)
	return math.Ldexp(float64(v>>12), -52)
}
