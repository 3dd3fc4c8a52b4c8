package executor

import (
	"bytes"

	"zproxy/planner/plan"
	"zproxy/store"
)

// mostRangeReads is how many ranges of a node are told apart; the last one holds what follows.
const mostRangeReads = 1000

// rangeProfile is a skipper that notes which ranges of keys a scan examined, and how many keys of each were wanted.
// A range ends where the store seeks. Stores ask about the keys that they examine in order, and count them in stats.
type rangeProfile struct {
	store.Skipper
	node      *plan.NodeProfile
	stats     *store.Stats
	partition []byte // of the keys that the scan asks about
	now       *plan.RangeRead
	seeks     int64
	examined  int64
}

// profiled wraps the skipper of a scan of a range, if the run is measured.
func (r *reader) profiled(skip store.Skipper, g store.Range) store.Skipper {
	if skip == nil || r.env.Profile == nil {
		return skip
	}
	return &rangeProfile{Skipper: skip, node: r.profile, stats: &r.profile.Stats, partition: g.Partition,
		seeks: r.profile.Stats.Seeks, examined: r.profile.Stats.Examined}
}

// Even implements store.EvenSkipper.
func (p *rangeProfile) Even() bool {
	e, ok := p.Skipper.(store.EvenSkipper)
	return ok && e.Even()
}

// WantsAll implements store.EvenSkipper. The store counts the keys behind the first one later.
func (p *rangeProfile) WantsAll(from, to []byte, keys int) bool {
	e, ok := p.Skipper.(store.EvenSkipper)
	if !ok || !e.WantsAll(from, to, keys) {
		return false
	}
	more := int64(keys - 1)
	p.now.To = append(append(p.now.To[:0], p.partition...), to...)
	p.now.Examined, p.now.Wanted = p.now.Examined+more, p.now.Wanted+more
	p.examined += more
	return true
}

// Wanted implements store.Skipper.
func (p *rangeProfile) Wanted(key []byte) bool {
	if p.now == nil || p.stats.Seeks != p.seeks {
		p.begin(key)
	}
	p.now.To = append(append(p.now.To[:0], p.partition...), key...)
	p.now.Examined += p.stats.Examined - p.examined
	p.examined = p.stats.Examined
	wanted := p.Skipper.Wanted(key)
	if wanted {
		p.now.Wanted++
	}
	return wanted
}

// begin begins a range at a key.
func (p *rangeProfile) begin(key []byte) {
	p.seeks = p.stats.Seeks
	if n := len(p.node.Reads); n == mostRangeReads {
		p.now = p.node.Reads[n-1]
		return
	}
	p.now = &plan.RangeRead{From: bytes.Join([][]byte{p.partition, key}, nil)}
	p.node.Reads = append(p.node.Reads, p.now)
}
