package executor

import (
	"hash/fnv"
	"math"
	"slices"
)

// distinctSize is how many hashes a distinctCount keeps; its error is near 1/sqrt(distinctSize).
const distinctSize = 4096

// distinctCount counts different values by their smallest hashes (Bar-Yossef et al., Counting
// Distinct Elements in a Data Stream, 2002). Up to twice its size it is exact.
type distinctCount struct {
	hashes map[uint64]met // the smallest ones, at least distinctSize of them once there were more
	limit  uint64         // none above it is of interest; 0 while all are
}

// met is where a value was met: in how many parts of the rows, and in which one the last time.
type met struct{ parts, last int32 }

// add counts a value that was met in a part. All of one part come one after the other.
func (s *distinctCount) add(h uint64, part int) {
	if s.limit != 0 && h > s.limit {
		return
	}
	if s.hashes == nil {
		s.hashes = map[uint64]met{}
	}
	m, there := s.hashes[h]
	if there && m.last == int32(part) {
		return
	}
	s.hashes[h] = met{m.parts + 1, int32(part)}
	if len(s.hashes) > 2*distinctSize {
		s.trim()
	}
}

// trim keeps the distinctSize smallest hashes.
func (s *distinctCount) trim() {
	all := make([]uint64, 0, len(s.hashes))
	for h := range s.hashes {
		all = append(all, h)
	}
	slices.Sort(all)
	s.limit = all[distinctSize-1]
	for _, h := range all[distinctSize:] {
		delete(s.hashes, h)
	}
}

// unite adds the values of another count. In which parts they were met is not known any more.
func (s *distinctCount) unite(other *distinctCount) {
	if s.hashes == nil {
		s.hashes = map[uint64]met{}
	}
	if other.limit != 0 && (s.limit == 0 || other.limit < s.limit) {
		s.limit = other.limit
	}
	for h := range other.hashes {
		s.hashes[h] = met{1, 0}
	}
	for h := range s.hashes {
		if s.limit != 0 && h > s.limit {
			delete(s.hashes, h)
		}
	}
	if len(s.hashes) > 2*distinctSize {
		s.trim()
	}
}

// estimate reckons from how densely the smallest hashes lie.
func (s *distinctCount) estimate() float64 {
	if s.limit == 0 {
		return float64(len(s.hashes))
	}
	s.trim()
	return (distinctSize - 1) / (float64(s.limit) / math.Exp2(64))
}

// estimateAll reckons how many values all rows have, of which some parts of many were read. Each value is taken to be
// in any part with the same probability p: where each was met in one part alone, as in a key, there are more of them in
// the other parts, and where each was met in all there are no more. Of the k parts a value that was met is expected in
// k·p/(1-(1-p)^k) (a species accumulation curve of incidences, Colwell et al., 2004).
func (s *distinctCount) estimateAll(read, of int) float64 {
	found := s.estimate()
	if read >= of || len(s.hashes) == 0 {
		return found
	}
	parts := 0.0
	for _, m := range s.hashes {
		parts += float64(m.parts)
	}
	parts /= float64(len(s.hashes))
	within := func(p, n float64) float64 { return -math.Expm1(n * math.Log1p(-p)) } // 1-(1-p)^n
	k, low, high := float64(read), 1e-12, 1-1e-12
	for range 60 {
		p := math.Sqrt(low * high)
		if k*p/within(p, k) < parts {
			low = p
		} else {
			high = p
		}
	}
	return found * within(low, float64(of)) / within(low, k)
}

// hash is FNV-1a with its bits mixed once more by MurmurHash3's last step, so that the
// high ones are even too.
func hash(p []byte) uint64 {
	f := fnv.New64a()
	_, _ = f.Write(p) // never fails
	return mix(f.Sum64())
}

// mix makes all bits of a hash depend on each of its bits, by MurmurHash3's last step.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
