package pebblestore

import (
	"bytes"
	"context"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// leastParted is how many bytes in tables a space must have to be divided by them: they are counted by blocks.
const leastParted = 4 << 20

// Part implements store.Sized, by what Pebble's tables have of the keys. What is written since they were is in some of
// the parts, so a space of which that is much is not divided.
func (s *Store) Part(ctx context.Context, sp *store.Space, number, n int) (part store.Range, ok bool, err error) {
	defer func() { err = s.damaged(err) }()
	if sp.Host != nil {
		return part, false, nil
	}
	if err := s.enter(); err != nil {
		return part, false, err
	}
	defer s.leave()
	it, from, to, err := s.whole(ctx, sp)
	if err != nil {
		return part, false, err
	}
	defer func() { _ = it.Close() }()
	d := division{store: s, it: it, from: from}
	if d.total, err = s.db.EstimateDiskUsage(from, to); err != nil || d.total < leastParted ||
		s.unflushed.bytes(sp.ID) > int64(d.total) {
		return part, false, err
	}
	if part.From, err = d.boundary(number, n); err == nil {
		part.To, err = d.boundary(number+1, n)
	}
	return part, err == nil, err
}

// division divides a space by how much Pebble's tables have of it.
type division struct {
	store *Store
	it    *pebble.Iterator // over all keys
	from  []byte           // the lower bound of all keys
	total uint64           // bytes
}

// boundary is the bound of the range with the first parts of n, nil for that of all keys: a short key below which there
// is about as much as that. Its bytes are found one after the other, but for those that all keys have there.
func (d *division) boundary(parts, n int) ([]byte, error) {
	if parts == 0 || parts == n {
		return nil, nil
	}
	want, fine := uint64(float64(d.total)*float64(parts)/float64(n)), d.total/uint64(n)/4
	low, high := d.from, []byte(nil)
	for {
		common, more := d.common(low, high)
		if !more {
			return low[overlay.SpaceBytes:], d.it.Error()
		}
		at, err := d.split(common, want)
		if err != nil {
			return nil, err
		}
		low = append(bytes.Clone(common), byte(at))
		high = append(bytes.Clone(common), byte(at+1))
		if at == 255 {
			high = append(low, bytes.Repeat([]byte{255}, 8)...)
		}
		from, err := d.below(low)
		if err != nil {
			return nil, err
		}
		to, err := d.below(high)
		if err != nil || to-from <= fine {
			return low[overlay.SpaceBytes:], err
		}
	}
}

// common is what all keys between two begin with. It says false if they are fewer than two.
func (d *division) common(low, high []byte) ([]byte, bool) {
	if !d.it.SeekGE(low) {
		return nil, false
	}
	first := bytes.Clone(d.it.Key())
	if high == nil {
		d.it.Last()
	} else {
		d.it.SeekLT(high)
	}
	last := d.it.Key()
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return first[:n], bytes.Compare(first, last) < 0
}

// split is the greatest byte behind which a key has no more below it than that.
func (d *division) split(prefix []byte, want uint64) (int, error) {
	low, high := 0, 256
	for high-low > 1 {
		middle := (low + high) / 2
		below, err := d.below(append(bytes.Clone(prefix), byte(middle)))
		if err != nil {
			return 0, err
		}
		if below <= want {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// below is how many bytes the tables have of keys below one.
func (d *division) below(key []byte) (uint64, error) {
	if bytes.Compare(key, d.from) <= 0 {
		return 0, nil
	}
	return d.store.db.EstimateDiskUsage(d.from, key)
}
