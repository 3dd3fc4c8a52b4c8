package catalog

import (
	"slices"
	"strings"
	"testing"

	"zproxy/catalog/part"
	"zproxy/types"
)

// orders has the columns id, city, total, note with the IDs 1, 2, 4, 5, as after a DROP
// COLUMN, and is keyed by city, id.
func orders() *Table {
	return &Table{
		ID: 10, Version: 3, Schema: "public", Name: "orders", NextColumn: 6, Space: NewSpace(1, "public", "orders"),
		Columns: []Column{
			{ID: 1, Name: "id", Type: types.Int8, NotNull: true}, {ID: 2, Name: "city", Type: types.Text, NotNull: true},
			{ID: 4, Name: "total", Type: types.Int4}, {ID: 5, Name: "note", Type: types.Text},
		},
		Primary:    Layout{Partition: []Part{{Column: 2}}, Sort: []Part{{Column: 1}}, Unique: true},
		PrimaryKey: "orders_pkey",
	}
}

func byTotal() Index {
	return Index{
		ID: 11, Name: "by_total", Space: NewSpace(2, "by_total"), Method: BTree, Keys: 1,
		Layout: Layout{Partition: []Part{{Column: 4, Desc: true}}, Tie: []Part{{Column: 2}, {Column: 1}}},
	}
}

func TestOrdinalsOfColumns(t *testing.T) {
	o := orders()
	if got := o.KeyOrdinals(); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("the key is at %v", got)
	}
	if o.Ordinal(3) != -1 || o.Ordinal(4) != 2 || o.Column("note") != 3 || o.Column("nosuch") != -1 {
		t.Error("columns are not found by ID and name")
	}
	curve := Part{Kind: part.ZAddress, Curve: []Dimension{{Column: 4}, {Column: 1}}}
	l := Layout{Sort: []Part{curve, {Column: 2}}}
	if got := l.Columns(); !slices.Equal(got, []uint32{4, 1, 2}) {
		t.Errorf("the layout is over %v", got)
	}
}

func TestIndexStoresWhatItNeeds(t *testing.T) {
	o := orders()
	x := byTotal()
	if got := o.StoredOrdinals(&x); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("key and primary key: %v", got)
	}
	x.Include = []uint32{5, 4}
	if got := o.StoredOrdinals(&x); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("with an included column: %v", got)
	}
	x = byTotal()
	x.Covers = true
	o.Columns = append(o.Columns, Column{ID: 6, Name: "later", Type: types.Bool})
	if got := o.StoredOrdinals(&x); !slices.Equal(got, []int{0, 1, 2, 3, 4}) {
		t.Errorf("a covering index has columns added later: %v", got)
	}
}

func TestSpaces(t *testing.T) {
	o := orders()
	x := byTotal()
	table, index := o.TableSpace(), o.IndexSpace(&x)
	if !table.Sorted || table.Name != "public.orders.1" || len(table.Columns) != 4 {
		t.Errorf("table: %+v", table)
	}
	if !index.Sorted || index.ID != 2 || len(index.Columns) != 3 || index.Columns[2].ID != 4 {
		t.Errorf("index: %+v", index)
	}
	if table.Eventual || index.Eventual {
		t.Error("a space is eventual without the option")
	}
	o.Options = map[string]string{"consistency": "Eventual"}
	if !o.TableSpace().Eventual || !o.IndexSpace(&x).Eventual {
		t.Error("a space of an eventual table is not eventual")
	}
	o.Primary = Layout{Partition: o.Primary.Partition, Unique: true}
	if o.TableSpace().Sorted {
		t.Error("a key of one part is taken to be sorted")
	}
	for _, word := range []string{"a b/ö", strings.Repeat("x", 400)} {
		name := NewSpace(7, "public", word).Name
		if len(name) > 200 || strings.ContainsAny(name, " /ö") || !strings.HasSuffix(name, ".7") {
			t.Errorf("space %q", name)
		}
	}
}

func TestTableChangesByCopy(t *testing.T) {
	o := orders()
	one := o.WithIndex(byTotal())
	two := one.WithoutIndex("by_total")
	if len(o.Indexes) != 0 || o.Version != 3 || o.Index("by_total") != nil {
		t.Errorf("the table was changed: %+v", o)
	}
	if one.Version != 4 || one.Index("by_total") == nil || two.Version != 5 || two.Index("by_total") != nil ||
		one.Index("by_total") == nil {
		t.Errorf("copies: %+v, %+v", one, two)
	}
}

func TestSnapshotChangesByCopy(t *testing.T) {
	a := orders()
	b := &Table{Schema: "public", Name: "zz"}
	empty := NewSnapshot()
	both := empty.With(b).With(a)
	one := both.Without(b)
	if len(empty.Tables()) != 0 || len(both.Tables()) != 2 || both.Tables()[0] != a || len(one.Tables()) != 1 {
		t.Error("snapshots share their tables")
	}
	if both.Table("public", "orders") != a || both.Table("other", "orders") != nil {
		t.Error("versions or names")
	}
	newer := orders()
	if s := both.With(newer); s.Table("public", "orders") != newer || both.Table("public", "orders") != a {
		t.Error("a newer table does not stand for the old one")
	}
}

func TestRowCount(t *testing.T) {
	o := orders()
	if o.RowCount() != defaultRows {
		t.Errorf("nothing known: %v", o.RowCount())
	}
	o.Stats = Stats{Known: true}
	if o.RowCount() != 0 {
		t.Errorf("known to be empty: %v", o.RowCount())
	}
}
