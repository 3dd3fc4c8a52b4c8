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
		common, first, last, more := d.between(low, high)
		if !more {
			return low[overlay.SpaceBytes:], d.it.Error()
		}
		at, has, err := d.split(common, first, last, want)
		if err != nil {
			return nil, err
		}
		low = append(bytes.Clone(common), byte(at))
		high = append(bytes.Clone(common), byte(at+1))
		if at == 255 {
			high = append(low, bytes.Repeat([]byte{255}, 8)...)
		}
		if has <= fine {
			return low[overlay.SpaceBytes:], nil
		}
	}
}

// between is what all keys between two begin with, and the next byte of the first and of the last of them. It says
// false if they are fewer than two.
func (d *division) between(low, high []byte) (common []byte, first, last int, more bool) {
	if !d.it.SeekGE(low) {
		return nil, 0, 0, false
	}
	least := bytes.Clone(d.it.Key())
	if high == nil {
		d.it.Last()
	} else {
		d.it.SeekLT(high)
	}
	greatest := d.it.Key()
	if bytes.Compare(least, greatest) >= 0 {
		return nil, 0, 0, false
	}
	n := 0
	for n < len(least) && least[n] == greatest[n] {
		n++
	}
	if n < len(least) {
		first = int(least[n])
	}
	return least[:n], first, int(greatest[n]), true
}

// split is the greatest byte of some behind which a key has no more below it than that, and how much the keys with it
// have.
func (d *division) split(prefix []byte, first, last int, want uint64) (at int, has uint64, err error) {
	low, high := first, last+1
	from, err := d.below(append(bytes.Clone(prefix), byte(low)))
	if err != nil {
		return 0, 0, err
	}
	to := d.total
	if high <= 255 {
		if to, err = d.below(append(bytes.Clone(prefix), byte(high))); err != nil {
			return 0, 0, err
		}
	}
	for high-low > 1 {
		middle := (low + high) / 2
		below, err := d.below(append(bytes.Clone(prefix), byte(middle)))
		if err != nil {
			return 0, 0, err
		}
		if below <= want {
			low, from = middle, below
		} else {
			high, to = middle, below
		}
	}
	return low, to - min(from, to), nil
}

// below is how many bytes the tables have of keys below one.
func (d *division) below(key []byte) (uint64, error) {
	if bytes.Compare(key, d.from) <= 0 {
		return 0, nil
	}
	return d.store.db.EstimateDiskUsage(d.from, key)
}
