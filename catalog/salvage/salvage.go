// Package salvage reports what a salvage of a damaged store has copied and what is lost. It makes the catalog of
// the copy readable, and names the tables and indexes that the store knows only as ranges of items. Stores copy the
// items, and cluster/check makes indexes agree with rows.
//
// Read `Found` first.
package salvage

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/encoding/keys"
	"zproxy/store"
)

// Found is what there is and what there is not.
type Found struct {
	Tables []Table
	Lost   []LostRange
	// Unowned are rows of tables and entries of indexes that the catalog does not have any more. They are dropped.
	Unowned []Table
	copied  store.Copied
}

// Table is a table with the number of its rows.
type Table struct {
	Name string // or of the space
	Rows int64
}

// LostRange is a range of the rows of a table, of the entries of an index, or of all that there is.
type LostRange struct {
	File, Reason string
	Table        string // empty: all of them, and the catalog
	Index        string // empty: the rows of the table
	From, To     string // keys, which may be there; empty: the first or the last
}

// Rows says whether rows may be missing. Entries of indexes are made again from the rows.
func (l *LostRange) Rows() bool { return l.Index == "" }

// Catalog says whether it is about what describes the tables.
func (l *LostRange) Catalog() bool { return l.Table == catalogName || l.Table == "" }

// catalogName names the catalog among tables.
const catalogName = "the catalog"

// Mend makes the catalog of a store complete to which items were copied, and drops what the catalog does not have. The
// store can be opened then.
func Mend(ctx context.Context, st store.Store, copied store.Copied) (*Found, error) {
	if err := catalogstore.Open(ctx, st); err != nil {
		return nil, err
	}
	unowned, err := catalogstore.Mend(ctx, st)
	if err != nil {
		return nil, err
	}
	f := &Found{copied: copied}
	doubt := !f.certain() && slices.ContainsFunc(copied.Lost,
		func(l store.Loss) bool { return l.From.Space <= catalogstore.SpaceID })
	for i := range unowned {
		if n := copied.Items[unowned[i].ID]; n > 0 && doubt { // otherwise it is what an unfinished statement left
			f.Unowned = append(f.Unowned, Table{unowned[i].Name, n})
		}
		if err := st.Drop(ctx, &unowned[i]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// certain says whether the catalog is whole, whatever else is lost.
func (f *Found) certain() bool { return slices.Contains(f.copied.Whole, catalogstore.SpaceID) }

// Describe names the tables that are there by the catalog of the store, and what is lost.
func (f *Found) Describe(whole *catalog.Whole) error {
	for _, t := range whole.Tables() {
		if t.Kept() && t.Space.In == nil { // items that lie behind those of another table are counted with these
			f.Tables = append(f.Tables, Table{qualified(t), f.copied.Items[store.SpaceID(t.Space.ID)]})
		}
	}
	for _, l := range f.copied.Lost {
		ranges, err := lostIn(whole, l, f.certain())
		if err != nil {
			return err
		}
		f.Lost = append(f.Lost, ranges...)
	}
	return nil
}

func qualified(t *catalog.Table) string { return t.Schema + "." + t.Name }

// lostIn are the tables and indexes that are concerned by a loss. The catalog may be certain all the same.
func lostIn(whole *catalog.Whole, l store.Loss, certain bool) (out []LostRange, err error) {
	add := func(table, index string, id store.SpaceID, show func([]byte) string) {
		if id < l.From.Space || id > l.To.Space {
			return
		}
		r := LostRange{File: l.File, Reason: l.Reason, Table: table, Index: index}
		if id == l.From.Space && l.From.Key != nil {
			r.From = show(l.From.Key)
		}
		if id == l.To.Space && l.To.Key != nil {
			r.To = show(l.To.Key)
		}
		out = append(out, r)
	}
	if l.Everything() {
		return []LostRange{{File: l.File, Reason: l.Reason}}, nil
	}
	if !certain {
		add(catalogName, "", catalogstore.SpaceID, catalogstore.FormatKey)
	}
	for _, t := range whole.Tables() {
		if !t.Kept() {
			continue
		}
		c, err := keys.NewCodec(t, &t.Primary)
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		add(qualified(t), "", t.TableSpace().Home(), c.FormatKey)
		for i := range t.Indexes {
			x := &t.Indexes[i]
			if c, err = keys.NewCodec(t, &x.Layout); err != nil {
				return nil, fmt.Errorf("index %s: %w", x.Name, err)
			}
			add(qualified(t), x.Name, store.SpaceID(x.Space.ID), c.FormatKey)
		}
	}
	return out, nil
}
