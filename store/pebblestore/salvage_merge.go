package pebblestore

import (
	"bytes"
	"container/heap"
	"iter"
	"math"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store/overlay"
)

// stream is versions in order, of which head is the next. It is opened when its lowest key has its turn, so that
// no more tables are open than overlap.
type stream struct {
	head version
	all  iter.Seq[version]
	next func() (version, bool) // nil: it is not open
	stop func()
}

// streams is a heap.
type streams []*stream

// Len implements heap.Interface.
func (s streams) Len() int { return len(s) }

// Less implements heap.Interface.
func (s streams) Less(i, j int) bool { return byKey(s[i].head, s[j].head) < 0 }

// Swap implements heap.Interface.
func (s streams) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

// Push implements heap.Interface.
func (s *streams) Push(x any) { *s = append(*s, x.(*stream)) }

// Pop implements heap.Interface.
func (s *streams) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// advance goes to the next version of the first stream.
func (s *streams) advance() {
	first := (*s)[0]
	if first.next == nil {
		first.next, first.stop = iter.Pull(first.all)
	}
	var ok bool
	if first.head, ok = first.next(); ok {
		heap.Fix(s, 0)
		return
	}
	first.stop()
	heap.Pop(s)
}

// items yields the last version of each key that is there, but for what the new store has itself.
func (s *source) items(yield func(item) bool) {
	all := streams{{head: version{seq: math.MaxUint64}, all: slices.Values(s.written)}}
	for i, t := range s.tables {
		t.order = i
		all = append(all, &stream{head: version{key: t.lower, seq: math.MaxUint64}, all: t.versions})
	}
	heap.Init(&all)
	defer func() {
		for _, st := range all {
			if st.stop != nil {
				st.stop()
			}
		}
	}()
	var last []byte
	for len(all) > 0 {
		opened, v := all[0].next != nil, all[0].head
		if opened && !bytes.Equal(v.key, last) {
			last = v.key
			if s.there(v) && !yield(item{v.key, v.value}) {
				return
			}
		}
		all.advance()
	}
}

// there says whether the last version of a key is one with a value.
func (s *source) there(v version) bool {
	if bytes.Equal(v.key, identityKey()) {
		s.identified = true
		return false
	}
	if v.kind != pebble.InternalKeyKindSet && v.kind != pebble.InternalKeyKindSetWithDelete ||
		len(v.key) < overlay.SpaceBytes {
		return false
	}
	return !slices.ContainsFunc(s.gone, func(d deletion) bool {
		return d.seq > v.seq && bytes.Compare(d.from, v.key) <= 0 && bytes.Compare(v.key, d.to) < 0
	})
}
