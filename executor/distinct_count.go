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
	hashes map[uint64]bool // the smallest ones, at least distinctSize of them once there were more
	limit  uint64          // none above it is of interest; 0 while all are
}

func (s *distinctCount) add(h uint64) {
	if s.limit != 0 && h > s.limit {
		return
	}
	if s.hashes == nil {
		s.hashes = map[uint64]bool{}
	}
	s.hashes[h] = true
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

// estimate reckons from how densely the smallest hashes lie.
func (s *distinctCount) estimate() float64 {
	if s.limit == 0 {
		return float64(len(s.hashes))
	}
	s.trim()
	return (distinctSize - 1) / (float64(s.limit) / math.Exp2(64))
}

// hash is FNV-1a with its bits mixed once more by MurmurHash3's last step, so that the
// high ones are even too.
func hash(p []byte) uint64 {
	f := fnv.New64a()
	_, _ = f.Write(p) // never fails
	h := f.Sum64()
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
