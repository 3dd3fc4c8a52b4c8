package names

import (
	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// bytesOf is what a space takes as the store tells, or an estimate where it does not know.
func (v *View) bytesOf(sp *store.Space, estimate float64) (int64, error) {
	if v.Size != nil {
		n, known, err := v.Size(sp)
		if known || err != nil {
			return n, err
		}
	}
	return int64(estimate), nil
}

// nothing is the size of what is in partitions alone.
func nothing() (int64, error) { return 0, nil }

func (v *View) rowBytes(t *catalog.Table) func() (int64, error) {
	if t.Partitioning != nil {
		return nothing
	}
	return func() (int64, error) { return v.bytesOf(t.TableSpace(), t.Stats.Rows*rowWidth(t, nil)) }
}

func (v *View) entryBytes(t *catalog.Table, x *catalog.Index) func() (int64, error) {
	if t.Partitioning != nil {
		return nothing
	}
	return func() (int64, error) { return v.bytesOf(t.IndexSpace(x), entriesWidth(t, x)) }
}

// indexBytes is what the entries of all indexes of a table take.
func (v *View) indexBytes(t *catalog.Table) func() (int64, error) {
	return func() (int64, error) {
		sum := int64(0)
		for i := range t.Indexes {
			n, err := v.entryBytes(t, &t.Indexes[i])()
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	}
}

// databaseBytes is what all tables of a database and their indexes take.
func databaseBytes(v *View, d *catalog.Database) func() (int64, error) {
	if d.ID == v.Catalog.Database().ID {
		return v.everything
	}
	other := *v
	other.Catalog = v.In(d.ID)
	return other.everything
}

// everything is what all tables and their indexes take.
func (v *View) everything() (int64, error) {
	sum := int64(0)
	for _, t := range v.Catalog.Tables() {
		if !t.Kept() {
			continue
		}
		rows, err := v.rowBytes(t)()
		if err != nil {
			return 0, err
		}
		entries, err := v.indexBytes(t)()
		if err != nil {
			return 0, err
		}
		sum += rows + entries
	}
	return sum, nil
}

// entriesWidth is what the entries of an index are thought to take.
func entriesWidth(t *catalog.Table, x *catalog.Index) float64 {
	return t.EntryCount(x) * rowWidth(t, x)
}

// rowWidth is what a row of a table, or an entry of an index, is thought to take.
func rowWidth(t *catalog.Table, x *catalog.Index) float64 {
	const varying = 32
	width := 0.0
	for _, i := range t.StoredOrdinals(x) {
		if x == nil && t.Columns[i].Blank(t) {
			continue
		}
		if size := types.InfoOf(t.Columns[i].Type.OID).Size; size > 0 {
			width += float64(size)
		} else {
			width += varying
		}
	}
	return width
}
