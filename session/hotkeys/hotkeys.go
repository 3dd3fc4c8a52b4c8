// Package hotkeys says in terms of SQL which keys of tables and indexes are hot or large: it joins what this process
// counted of its requests (store/heat), where the store refused requests, and what ANALYZE knows of the rows. It counts
// nothing itself.
//
// Read Source first.
package hotkeys

import (
	"cmp"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/staleness"
	"zproxy/catalog/syscat"
	"zproxy/encoding/keys"
	"zproxy/metrics"
	"zproxy/store"
	"zproxy/store/heat"
	"zproxy/store/rowcache"
	"zproxy/types"
)

// Source is where the keys are looked for.
type Source struct {
	Catalog interface{ Tables() []*catalog.Table }
	Meter   *heat.Meter
	Store   store.Store
	Rows    *rowcache.Cache
	// Shows says whether the reader may see values of a table's rows.
	Shows func(t *catalog.Table) bool
}

// location is a table's rows or the entries of an index.
type location struct {
	table  *catalog.Table
	index  *catalog.Index // nil: the table's rows
	layout *catalog.Layout
	codec  *keys.Codec
	space  catalog.Space
}

// each visits the rows and the indexes of all tables that may be seen. Keys of foreign tables are not read.
func (s *Source) each(visit func(p location)) {
	for _, t := range s.Catalog.Tables() {
		if !t.Kept() || !s.Shows(t) {
			continue
		}
		list := []location{{table: t, layout: &t.Primary, space: t.Space}}
		for i := range t.Indexes {
			x := &t.Indexes[i]
			list = append(list, location{table: t, index: x, layout: &x.Layout, space: x.Space})
		}
		for _, p := range list {
			var err error
			if p.codec, err = keys.NewCodec(t, p.layout); err == nil {
				visit(p)
			}
		}
	}
}

func (p *location) where() syscat.KeyLocation {
	out := syscat.KeyLocation{Schema: p.table.Schema, Table: p.table.Name}
	if p.index != nil {
		out.Index = p.index.Name
	}
	return out
}

// String names the table or the index, as errors do.
func (p *location) String() string {
	if p.index != nil {
		return "index " + strconv.Quote(p.index.Name)
	}
	return "table " + strconv.Quote(p.table.Name)
}

// show is a key of the location: by its partition, or whole where there is but one partition.
func (p *location) show(key []byte) string {
	if len(p.layout.Partition) > 0 {
		return p.codec.FormatPartition(key)
	}
	return p.codec.FormatKey(key)
}

// HotKeys lists keys that are hot, those that were throttled, and those that many rows have.
func (s *Source) HotKeys() (out []syscat.HotKey) {
	throttled := s.throttled()
	s.each(func(p location) {
		list := hotList{of: p, at: map[string]int{}}
		if r := s.Meter.Report(store.SpaceID(p.space.ID)); r != nil {
			for _, k := range r.Keys() {
				h := list.get(p.show(k.Key), p.codec.PartitionValues(k.Key))
				h.Reads, h.Writes = k.Reads, k.Writes
				h.Seconds, h.Share = r.Seconds, float64(k.Sum())/float64(max(r.Sum(), 1))
			}
		}
		for _, h := range throttled[p.space.Name] {
			list.get(p.show(h.Partition), p.codec.PartitionValues(h.Partition)).Throttled += h.Count
		}
		for _, v := range p.common() {
			list.get(p.codec.FormatValues(v), v)
		}
		out = append(out, list.keys...)
	})
	return out
}

// Hottest lists the keys that were asked for, the hottest first.
func (s *Source) Hottest() (out []metrics.HotKey) {
	s.each(func(p location) {
		r := s.Meter.Report(store.SpaceID(p.space.ID))
		if r == nil {
			return
		}
		for _, k := range r.Keys() {
			out = append(out, metrics.HotKey{Where: p.String(), Key: p.show(k.Key),
				PerSecond: float64(k.Sum()) / r.Seconds})
		}
	})
	slices.SortStableFunc(out, func(a, b metrics.HotKey) int { return cmp.Compare(b.PerSecond, a.PerSecond) })
	return out
}

// throttled are the partitions at which the store refused requests, by the names of their spaces.
func (s *Source) throttled() map[string][]store.HotPartition {
	out := map[string][]store.HotPartition{}
	if p, ok := s.Store.(store.Pressed); ok {
		for _, h := range p.Pressure().Hot {
			out[h.Space] = append(out[h.Space], h)
		}
	}
	return out
}

// hotList is the keys of a location, each once.
type hotList struct {
	of   location
	keys []syscat.HotKey
	at   map[string]int
}

// get is the key that is shown as a text, with an estimate of how many rows have its values.
func (l *hotList) get(shown string, values []types.Value) *syscat.HotKey {
	i, known := l.at[shown]
	if !known {
		i = len(l.keys)
		l.at[shown] = i
		h := syscat.HotKey{KeyLocation: l.of.where(), Key: shown, Rows: l.of.rows(values)}
		h.Bytes = h.Rows * l.of.table.EntryBytes(l.of.index)
		l.keys = append(l.keys, h)
	}
	return &l.keys[i]
}

// KeyHeat lists ranges of keys, minute by minute.
func (s *Source) KeyHeat() (out []syscat.KeyHeat) {
	s.each(func(p location) {
		r := s.Meter.Report(store.SpaceID(p.space.ID))
		if r == nil {
			return
		}
		for _, m := range r.Minutes {
			for _, g := range m.Ranges { // rows behind a row are refused by its space
				out = append(out, syscat.KeyHeat{KeyLocation: p.where(), Minute: m.Begin,
					From: p.codec.FormatFront(g.From), To: p.codec.FormatFront(g.To), Reads: g.Reads, Writes: g.Writes,
					Throttles: g.Throttles})
			}
		}
	})
	return out
}

// CachedTables lists the tables whose rows may be kept in memory, or were.
func (s *Source) CachedTables() (out []syscat.CachedTable) {
	for _, t := range s.Catalog.Tables() {
		c := syscat.CachedTable{KeyLocation: syscat.KeyLocation{Schema: t.Schema, Table: t.Name}, For: staleness.Of(t)}
		of := s.Rows.Of(store.SpaceID(t.Space.ID))
		if of == nil && c.For == 0 {
			continue
		}
		if of != nil {
			c.Rows, c.Bytes = of.Items.Load(), of.Bytes.Load()
			c.Hits, c.Misses = of.Hits.Load(), of.Misses.Load()
		}
		out = append(out, c)
	}
	return out
}
