// Package catalogstore keeps the catalog in the store: one item for each object, with its descriptor as JSON, and one
// for each counter, set of statistics, count of changes since, sketch of an index, and state of a sequence. What the
// objects mean, and who may change them, is not here. Read Open and Load first.
package catalogstore

import (
	"context"
	"fmt"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/large"
	"zproxy/encoding/ordered"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// spaceID is the space of the catalog itself. Tables begin at firstID, above the OIDs
// that PostgreSQL keeps for its own objects.
const (
	spaceID = 1
	firstID = 16384
)

// SpaceID is the space of the catalog.
const SpaceID store.SpaceID = spaceID

// FormatKey shows a key of an item, as keys of rows are shown.
func FormatKey(key []byte) string {
	kind, rest, err := ordered.Decode(key, types.Text, false)
	if err != nil {
		return strconv.Quote(string(key))
	}
	id, _, err := ordered.Decode(rest, types.Int8, false)
	if err != nil {
		return "/" + kind.Text()
	}
	if of := slotOf(uint64(id.Int())); of.database != catalog.DatabaseID {
		return fmt.Sprintf("/%s/%d/%d", kind.Text(), of.database, of.id)
	}
	return fmt.Sprintf("/%s/%d", kind.Text(), id.Int())
}

// The kinds of items.
const (
	kindTable       = "table"
	kindView        = "view"
	kindSequence    = "sequence"
	kindSchema      = "schema"
	kindStatistics  = "statistics" // an object of CREATE STATISTICS
	kindExtension   = "extension"
	kindFunction    = "function"
	kindType        = "type"
	kindPlain       = "plain" // an operator or the like
	kindRole        = "role"
	kindDatabase    = "database"
	kindCounter     = "counter"
	kindStats       = "stats"
	kindChanged     = "changed" // rows of a table
	kindState       = "state"   // of a sequence
	kindBuild       = "build"   // of an index
	kindSketch      = "sketch"
	kindAgreed      = "agreed" // by all processes
	kindMember      = "member" // a process
	kindPendingDrop = "debt"   // a space to be dropped
)

// The columns of the catalog, by their places.
const (
	idColumn = iota + 1
	bodyColumn
	bytesColumn
)

var space = &store.Space{
	// so that what makes room can be said, such as TRUNCATE
	ID: spaceID, Name: "zproxy.catalog", Sorted: true, Reserved: true,
	Columns: []store.Column{
		{ID: 1, Name: "kind", Type: types.Text}, {ID: 2, Name: "id", Type: types.Int8}, {ID: 3, Name: "body", Type: types.Text},
		{ID: 4, Name: "bytes", Type: types.Bytea},
	},
}

// Open makes the space of the catalog if it is not there.
func Open(ctx context.Context, st store.Store) error {
	if err := st.Create(ctx, space); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return nil
}

func keyOf(kind string, id uint64) store.Key {
	return store.Key{
		Partition: ordered.Append(nil, types.NewText(kind), false),
		Sort:      ordered.Append(nil, types.NewInt(int64(id)), false),
	}
}

// Probe reads one item, to see whether the store answers.
func Probe(ctx context.Context, txn store.Txn) error {
	get := &store.Get{Keys: []store.Key{keyOf(kindCounter, 0)}, Columns: []int{bodyColumn}, Stats: &store.Stats{}}
	if _, err := txn.Get(ctx, space, get, types.NewBatch(1)); err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	return nil
}

// Load reads the catalog.
func Load(ctx context.Context, txn store.Txn) (*catalog.Whole, error) {
	var shared []catalog.Object
	of := map[uint32][]catalog.Object{} // by database
	tables := map[uint32]*catalog.Table{}
	kinds := []string{kindRole, kindDatabase, kindSchema, kindTable, kindView, kindSequence, kindStatistics,
		kindExtension, kindFunction, kindType, kindPlain}
	for _, kind := range kinds {
		err := each(ctx, txn, kind, func(id uint64, body string) error {
			o, err := decode(kind, body)
			if err != nil {
				return err
			}
			at := slotOf(id)
			if _, own := kindOf(o); own != at.id {
				return fmt.Errorf("it says that it is %d", own)
			}
			if t, ok := o.(*catalog.Table); ok {
				tables[t.ID] = t
			}
			if catalog.Shared(o) {
				shared = append(shared, o)
			} else {
				of[at.database] = append(of[at.database], o)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	err := each(ctx, txn, kindStats, func(id uint64, body string) error {
		t := tables[uint32(id)]
		if t == nil {
			return nil
		}
		var err error
		t.Stats, err = decodeStats(t, body)
		return err
	})
	if err == nil {
		err = loadSketches(ctx, txn, tables)
	}
	if err != nil {
		return nil, err
	}
	return catalog.NewWhole(shared, of), nil
}

// damaged is the error of an item that no version has written so.
func damaged(kind string, id uint64, err error) error {
	return sqlerr.Wrap(err, sqlerr.DataCorrupted, "catalog: %s %d is damaged: %v", kind, id, err)
}

// each reads all items of a kind, in the order of their numbers.
func each(ctx context.Context, txn store.Txn, kind string, f func(id uint64, body string) error) error {
	return items(ctx, txn, kind, bodyColumn, func(id uint64, v types.Value) error { return f(id, v.Text()) })
}

// items reads one column of all items of a kind, in the order of their numbers.
func items(ctx context.Context, txn store.Txn, kind string, column int, f func(id uint64, v types.Value) error) error {
	r := &store.Scan{Range: store.Range{Partition: keyOf(kind, 0).Partition}, Columns: []int{idColumn, column},
		Stats: &store.Stats{}}
	for batch, err := range txn.Scan(ctx, space, r) {
		if err != nil {
			return fmt.Errorf("catalog: %w", err)
		}
		for i := range batch.Len() {
			row := batch.Row(i)
			if err := f(uint64(row[0].Int()), row[1]); err != nil {
				return damaged(kind, uint64(row[0].Int()), err)
			}
		}
	}
	return nil
}

func put(txn store.Txn, kind string, id uint64, body string) error {
	return txn.Put(space, itemOf(kind, id, types.NewText(body), types.Null), store.Always)
}

func itemOf(kind string, id uint64, body, bytes types.Value) store.Item {
	return store.Item{Key: keyOf(kind, id),
		Values: []types.Value{types.NewText(kind), types.NewInt(int64(id)), body, bytes}}
}

// slot is where an object is kept among those of its kind: by its database, since some objects have the same number
// in each, and its own number.
type slot struct {
	database uint32
	id       uint64
}

// key is the number of the item. That of an object of the default database, or of all, is the object's.
func (s slot) key() uint64 {
	if s.database == catalog.DatabaseID {
		return s.id
	}
	return uint64(s.database)<<32 | s.id
}

// slotOf is the slot of which a number is the key.
func slotOf(key uint64) slot {
	if high := uint32(key >> 32); high != 0 {
		return slot{high, uint64(uint32(key))}
	}
	return slot{catalog.DatabaseID, key}
}

// itemIn is where an object of a database is kept.
func itemIn(database uint32, o catalog.Object) (kind string, id uint64) {
	kind, id = kindOf(o)
	if !catalog.Shared(o) {
		id = slot{database, id}.key()
	}
	return kind, id
}

// Put stores an object of a database, a table with its statistics but for sketches (PutSketches).
func Put(txn store.Txn, database uint32, o catalog.Object) error {
	body, err := encode(o)
	if err != nil {
		return fmt.Errorf("catalog: %w", err)
	}
	kind, id := itemIn(database, o)
	if t, ok := o.(*catalog.Table); ok && t.Stats.Known {
		if err := putStats(txn, t); err != nil {
			return err
		}
	}
	return put(txn, kind, id, body)
}

// Delete removes an object of a database, and the statistics of a table and the builds of its indexes.
func Delete(txn store.Txn, database uint32, o catalog.Object) error {
	kind, id := itemIn(database, o)
	if s, ok := o.(*catalog.Schema); ok && s.ID == catalog.PublicID {
		return put(txn, kind, id, `{"ID": 2200}`) // which catalog.NewWhole knows
	}
	if err := txn.Delete(space, keyOf(kind, id), store.Always); err != nil {
		return err
	}
	t, ok := o.(*catalog.Table)
	if !ok {
		return nil
	}
	for i := range t.Indexes {
		if err := DeleteBuild(txn, t.Indexes[i].ID); err != nil {
			return err
		}
	}
	for _, id := range sketched(t) {
		if err := txn.Delete(space, keyOf(kindSketch, uint64(id)), store.Always); err != nil {
			return err
		}
	}
	return txn.Delete(space, keyOf(kindStats, uint64(t.ID)), store.Always)
}

// Forget removes an object of a database that is dropped with all there is.
func Forget(txn store.Txn, database uint32, o catalog.Object) error {
	kind, id := itemIn(database, o)
	return txn.Delete(space, keyOf(kind, id), store.Always)
}

// NextID takes the next number for a table, an index or a space.
func NextID(ctx context.Context, txn store.Txn) (uint64, error) { return NextIDs(ctx, txn, 1) }

// NextIDs takes so many numbers, one behind the other, and gives the first of them.
func NextIDs(ctx context.Context, txn store.Txn, count int) (first uint64, err error) {
	out := types.NewBatch(1)
	get := &store.Get{Keys: []store.Key{keyOf(kindCounter, 0)}, Columns: []int{bodyColumn}, Remember: true,
		Stats: &store.Stats{}}
	found, err := txn.Get(ctx, space, get, out)
	if err != nil {
		return 0, fmt.Errorf("catalog: %w", err)
	}
	first = firstID
	if found[0] {
		last, err := strconv.ParseUint(out.Row(0)[0].Text(), 10, 64)
		if err != nil {
			return 0, damaged(kindCounter, 0, err)
		}
		first = last + 1
	}
	last := strconv.FormatUint(first+uint64(count)-1, 10)
	return first, txn.Put(space, itemOf(kindCounter, 0, types.NewText(last), types.Null), store.Unchanged)
}

// Orphans lists the spaces that no table of a catalog owns: what an index build or a
// drop left behind when the process ended in the middle of it.
func Orphans(ctx context.Context, st store.Store, snap *catalog.Whole) ([]store.Space, error) {
	owned := map[store.SpaceID]bool{spaceID: true, large.SpaceID: true}
	for _, t := range snap.Tables() {
		owned[store.SpaceID(t.Space.ID)] = true
		for _, x := range t.Indexes {
			owned[store.SpaceID(x.Space.ID)] = true
		}
	}
	all, err := st.Spaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	var out []store.Space
	for _, s := range all {
		if !owned[s.ID] {
			out = append(out, s)
		}
	}
	return out, nil
}
