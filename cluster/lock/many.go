package lock

// A transaction that writes many rows locks and releases them many at once, shard by shard: to go through the shards
// for each row would wait for memory each time.

// TakeRows takes locks of rows that the transaction writes, as long as it need not wait for any, in the order of tags.
// It says how many of the first ones it has got, and of each whether it was Already there.
func (o *Owner) TakeRows(tags []Tag, m Mode, already []bool) (int, error) {
	if o.manager.escalations.Load() > 0 {
		return 0, nil
	}
	b := byShard(tags)
	n := len(tags)
	entries := make([]*entry, n)
	for i := 0; i < len(b.order) && n > 0; {
		first := n
		i, first = b.takeShard(o, i, request{mode: m}, entries, already)
		n = min(n, first)
	}
	return n, o.noteRows(entries, n, request{mode: m})
}

// tagged is some tags by their shards.
type tagged struct {
	tags   []Tag
	hashes []uint64
	order  []int32 // of the tags: those of a shard one after the other
}

// byShard sorts tags by their shards.
func byShard(tags []Tag) tagged {
	b := tagged{tags, make([]uint64, len(tags)), make([]int32, len(tags))}
	var ends [rowShards + 1]int
	for i, t := range tags {
		b.hashes[i] = t.hash()
		ends[b.shard(i)+1]++
	}
	for i := range rowShards {
		ends[i+1] += ends[i]
	}
	for i := range tags {
		at := &ends[b.shard(i)]
		b.order[*at] = int32(i)
		*at++
	}
	return b
}

func (b *tagged) shard(i int) uint64 { return rowShard(b.hashes[i]) }

// takeShard takes the locks of one shard, from a position in the order on. It says where those of the next one begin,
// and the first tag that another owner is in the way of.
func (b *tagged) takeShard(o *Owner, from int, r request, entries []*entry, already []bool) (next, first int) {
	first = len(b.tags)
	shard := b.shard(int(b.order[from]))
	s := &o.manager.shards[shard]
	s.mu.Lock()
	defer s.mu.Unlock()
	escalated := o.manager.escalations.Load() > 0 // no more than now, while the shard is locked
	for ; from < len(b.order) && b.shard(int(b.order[from])) == shard; from++ {
		i := int(b.order[from])
		if escalated {
			first = min(first, i)
			continue
		}
		e := s.entry(b.tags[i], b.hashes[i])
		g := e.take(o, r)
		switch {
		case !g.Granted:
			s.tidy(e)
			first = min(first, i)
		case g.Already:
			already[i] = true
		default:
			entries[i] = e
		}
		if h := e.find(o); h != nil {
			h.writes = true
		}
	}
	return from, first
}

// noteRows notes the first n of some locks that were taken, and gives the others back: a transaction does not have the
// lock of a later row while it waits for one.
func (o *Owner) noteRows(entries []*entry, n int, r request) (err error) {
	for i, e := range entries {
		switch {
		case e == nil:
		case i < n && err == nil:
			err = o.note(e, r)
		default:
			o.release(taken{entry: e, mode: r.mode}, false)
		}
	}
	return err
}
