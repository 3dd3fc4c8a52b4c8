package joinorder

import "math/bits"

// Set is a set of relations, by their numbers.
type Set uint64

// MaxRelations is how many relations a Set can tell from each other.
const MaxRelations = 64

// Of is the set of some relations.
func Of(relations ...int) (s Set) {
	for _, r := range relations {
		s |= 1 << r
	}
	return s
}

// Count is how many relations are in a set.
func (s Set) Count() int { return bits.OnesCount64(uint64(s)) }

// Within says whether all of a set are in another one.
func (s Set) Within(other Set) bool { return s&^other == 0 }

// Meets says whether some of a set are in another one.
func (s Set) Meets(other Set) bool { return s&other != 0 }

// Number is the relation of a set of one.
func (s Set) Number() int { return bits.TrailingZeros64(uint64(s)) }

// least is the set of the relation with the least number; empty if there is none.
func (s Set) least() Set { return s & -s }

// upTo is the set of all relations up to the one in a set of one.
func (s Set) upTo() Set { return s<<1 - 1 }

// subsets calls visit with each part of a set but the empty one, smaller numbers first.
func (s Set) subsets(visit func(Set)) {
	for part := s & -s; part != 0; part = (part - s) & s {
		visit(part)
	}
}

// downwards calls visit with each relation of a set as a set of one, the highest number first.
func (s Set) downwards(visit func(Set)) {
	for s != 0 {
		last := Set(1) << (63 - bits.LeadingZeros64(uint64(s)))
		visit(last)
		s &^= last
	}
}
