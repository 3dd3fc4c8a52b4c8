package store

import (
	"slices"

	"zproxy/store/nesting"
)

// Home is the space in which the items lie.
func (s *Space) Home() SpaceID {
	if s.Host != nil {
		return SpaceID(s.Host.ID)
	}
	return s.ID
}

// HomeName is the name of the space in which the items lie.
func (s *Space) HomeName() string {
	if s.Host != nil {
		return s.Host.Name
	}
	return s.Name
}

// With is the space for scans of the items of s and of others, which lie behind them. The columns of those come
// behind its own, and in each item the columns of the other space are missing.
func (s *Space) With(behind *Space) *Space {
	both, host := *s, *s.Host
	both.Columns = slices.Concat(s.Columns, behind.Columns)
	for i := range both.Columns {
		both.Columns[i].NotNull = false
	}
	host.With = [][]nesting.Part{behind.Host.Parts}
	both.Host = &host
	return &both
}

// Own is the scan without the items of other spaces that lie where those of s do. Stores begin a scan with it.
func (r *Scan) Own(s *Space) *Scan {
	if s.Host == nil {
		return r
	}
	c := *r
	own := s.Host.Keys(r.Range.Partition == nil)
	if c.Skip = own; r.Skip != nil {
		c.Skip = &both{own, r.Skip}
	}
	return &c
}

// both are the keys that two skippers want.
type both struct{ a, b Skipper }

// Wanted implements Skipper.
func (s *both) Wanted(key []byte) bool { return s.a.Wanted(key) && s.b.Wanted(key) }

// Next implements Skipper.
func (s *both) Next(dst, key []byte) ([]byte, bool) {
	next, ok := s.a.Next(nil, key)
	if !ok {
		return dst, false
	}
	return s.b.Next(dst, next)
}
