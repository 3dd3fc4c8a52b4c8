package executor

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/staleness"
	"zproxy/encoding/cells"
	"zproxy/encoding/keys"
	"zproxy/store"
	"zproxy/types"
)

// Tables keeps what is prepared from tables, and gives out row ids. It is shared by all
// sessions. The zero value is not ready; see NewTables.
type Tables struct {
	Store    store.Capabilities // set before the first use
	mu       sync.Mutex         // held to replace prepared
	prepared atomic.Pointer[map[uint32]*table]
	rowID    atomic.Int64 // the last one given out
	batches  types.BatchPool
	reads    sync.Map        // *orderReads by the numbers of indexes
	random   func(n int) int // of the values from 0 below n, for rows sharded at random
}

// NewTables makes an empty Tables.
func NewTables() *Tables {
	t := &Tables{random: rand.IntN}
	t.prepared.Store(&map[uint32]*table{})
	return t
}

// table is what is prepared from one catalog.Table. It never changes.
type table struct {
	*catalog.Table
	rows       *layout
	layouts    []*layout     // rows, then those of the indexes that writers keep
	inverted   []*layout     // of the inverted indexes that writers keep
	followers  []*layout     // of the indexes that the store, or the server of a foreign table, keeps
	unverified bool          // one of them is
	stale      time.Duration // rows that are read by their keys may be as old as that
	cells      *cells.Layout // nil: cells have no timestamps
	// learned are the columns of keys whose values are noted as rows are written; nil: the table has statistics.
	learned []measured
}

// layout is where and how the rows of a table, or the entries of an index, are kept.
type layout struct {
	index *catalog.Index // nil: the table itself
	codec *keys.Codec
	space *store.Space
	// stored are the columns of an item, by their ordinals in the table; itemOrdinals has the
	// ordinal in an item of each column of the table, -1 when it is not stored.
	stored       []int
	itemOrdinals []int
	// key are the columns of the key as they were declared, by their ordinals in the table,
	// and parts is how many values its key proper is made of.
	key    []int
	parts  int
	unique bool
	// blank are the places among the stored columns of those that have no value in items.
	blank []int
	upkeep
	elements   *elementsOf // of an inverted index; nil: a row has one item
	keysPerRow int         // at how many keys a row with some values of the key columns may stand
	reads      *orderReads
	name       string // of the index or the constraint, as errors call it
}

// upkeep is how items are kept.
type upkeep struct {
	// makes says that rows get entries; else they only lose those that they have. unverified says
	// that equal keys of a unique index may not have been noticed yet, see foreign.
	makes, unverified bool
	// ahead says that entries may be ahead of rows, so that they are taken away loosely, and loose that
	// they are put loosely.
	ahead, loose bool
	// carries are the indexes whose keys the rows carry, in the order of store.Space.Carries.
	carries []*layout
}

// of prepares a table, unless that is done. A table is told by its pointer, since it
// never changes: two versions that were made apart may bear the same number.
func (ts *Tables) of(t *catalog.Table) (*table, error) {
	if p := (*ts.prepared.Load())[t.ID]; p != nil && p.Table == t {
		return p, nil
	}
	p := &table{Table: t, cells: celltime.Layout(t), stale: staleness.Of(t)}
	var err error
	if p.rows, err = newLayout(t, nil); err != nil {
		return nil, err
	}
	p.rows.reads = ts.orderReads(t.KeyID)
	p.layouts = append(p.layouts, p.rows)
	for i := range t.Indexes {
		if !t.Indexes[i].State.Deletes() {
			continue
		}
		x, err := newLayout(t, &t.Indexes[i])
		if err != nil {
			return nil, err
		}
		x.reads = ts.orderReads(t.Indexes[i].ID)
		if t.Foreign != nil || x.index.Follows {
			p.followers = append(p.followers, x)
			if x.index.Follows && x.makes {
				p.rows.carries = append(p.rows.carries, x)
			}
			continue
		}
		if x.elements != nil {
			p.inverted = append(p.inverted, x)
			continue
		}
		p.layouts, p.unverified = append(p.layouts, x), p.unverified || x.unverified
	}
	p.learned = learnedColumns(t)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	next := maps.Clone(*ts.prepared.Load())
	next[t.ID] = p
	ts.prepared.Store(&next)
	return p, nil
}

// newLayout prepares an index, or with nil the table itself.
func newLayout(t *catalog.Table, x *catalog.Index) (*layout, error) {
	l, space := &t.Primary, t.TableSpace
	if x != nil {
		l, space = &x.Layout, func() *store.Space { return t.IndexSpace(x) }
	}
	codec, err := keys.NewCodec(t, l)
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", t.Name, err)
	}
	p := &layout{index: x, codec: codec, space: space(), stored: t.StoredOrdinals(x), unique: l.Unique,
		parts: len(l.Parts()), keysPerRow: 1, elements: newElementsOf(t, x)}
	if random := l.Random(); random != nil {
		p.keysPerRow = random.Count
	}
	p.name, p.makes = cmp.Or(t.KeyName(), t.Name), true
	if x == nil {
		p.blank = blanks(t)
	} else {
		p.name, p.makes, p.unverified = x.Name, x.State.Writes(), x.Unique && !x.State.Reads()
		p.ahead, p.loose = x.Loose, t.PutsLoose(x)
	}
	p.itemOrdinals = make([]int, len(t.Columns))
	for i := range p.itemOrdinals {
		p.itemOrdinals[i] = -1
	}
	for i, c := range p.stored {
		p.itemOrdinals[c] = i
	}
	for _, id := range l.Columns() {
		p.key = append(p.key, t.Ordinal(id))
	}
	if p.elements != nil {
		p.key = []int{p.elements.column}
	}
	return p, nil
}

// layoutOf is the layout of an index of the table, or with nil of the table itself.
func (t *table) layoutOf(x *catalog.Index) (*layout, error) {
	if x == nil {
		return t.rows, nil
	}
	for _, list := range [][]*layout{t.layouts[1:], t.inverted, t.followers} {
		for _, l := range list {
			if l.index.ID == x.ID {
				return l, nil
			}
		}
	}
	return nil, fmt.Errorf("table %q has no index %q", t.Name, x.Name)
}

// deferrable says whether rows may have equal keys until these are checked.
func (l *layout) deferrable() bool { return l.index != nil && l.index.Layout.Deferrable }

// standFor is the key that stands for all at which a row may be; that of the row is given.
func (l *layout) standFor(key store.Key, row types.Row) store.Key {
	if l.keysPerRow == 1 {
		return key
	}
	return l.codec.First(row)
}

// columns are the ordinals in an item of columns of the table.
func (l *layout) columns(reads []int) []int {
	if l.index == nil {
		return reads // a table stores every column at its own ordinal
	}
	out := make([]int, len(reads))
	for i, c := range reads {
		out[i] = l.itemOrdinals[c]
	}
	return out
}

// item fills in the values that the layout stores of a row, and the keys that the row carries.
func (l *layout) item(dst []types.Value, row types.Row) []types.Value {
	for _, c := range l.stored {
		dst = append(dst, row[c])
	}
	for _, at := range l.blank {
		dst[len(dst)-len(l.stored)+at] = types.Null
	}
	for _, x := range l.carries {
		k := x.codec.Key(row)
		dst = append(dst, types.NewBytes(k.Partition), types.NewBytes(k.Sort))
	}
	return dst
}

// nextRowID makes a row id: above all that this process has made, and with the time in
// its high bits, so that rows are stored as they come. The low bits are random, so that
// processes on one store seldom meet.
func (ts *Tables) nextRowID() int64 {
	for {
		last := ts.rowID.Load()
		id := time.Since(rowIDEpoch).Microseconds()<<12 | rand.Int64N(1<<12)
		id = max(id, last+1)
		if ts.rowID.CompareAndSwap(last, id) {
			return id
		}
	}
}

// rowIDEpoch lets 63 bits last for seventy years.
var rowIDEpoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
