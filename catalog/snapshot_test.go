package catalog

import "testing"

// TestOneNameSpace holds that tables, views, sequences and indexes share their names, and
// that a renamed object leaves its old one.
func TestOneNameSpace(t *testing.T) {
	o := orders().WithIndex(byTotal())
	v, q := &View{ID: 20, Schema: "public", Name: "v"}, &Sequence{ID: 21, Schema: "public", Name: "q"}
	s := NewSnapshot(o, v, q, &Schema{ID: 22, Name: "s"})
	for name, want := range map[string]Ref{
		"orders":      {TableKind, 10, "public", "orders"},
		"by_total":    {IndexKind, 11, "public", "by_total"},
		"orders_pkey": {IndexKind, 0, "public", "orders_pkey"},
		"v":           {ViewKind, 20, "public", "v"},
		"q":           {SequenceKind, 21, "public", "q"},
	} {
		if r := s.Relation("public", name); r == nil || r.Ref() != want {
			t.Errorf("%s is %+v", name, r)
		}
	}
	if s.Table("public", "v") != nil || s.Schema("public") == nil || s.Schema("s") == nil || s.Numbered(11) == nil {
		t.Error("kinds or numbers")
	}
	renamed := *v
	renamed.Name = "w"
	s = s.With(&renamed)
	if s.Relation("public", "v") != nil || s.Relation("public", "w") != Relation(&renamed) {
		t.Error("the old name stays")
	}
	if s = s.Without(o, q); s.Relation("public", "by_total") != nil || s.ByID(21) != nil || len(s.Views()) != 1 {
		t.Error("what was taken out stays")
	}
}

// TestAsUsed holds that a stored query sees the names and columns of the day it was made.
func TestAsUsed(t *testing.T) {
	old := orders()
	use := Use{ID: 10, Schema: "public", Name: "orders", Columns: []Bound{{1, "id"}, {2, "city"}, {4, "total"}}}
	now := old.WithColumn(1, func(c *Column) { c.Name = "town" })
	now.Name, now.Schema = "sales", "shop"
	s := NewSnapshot(now, &Table{ID: 30, Schema: "public", Name: "orders"}).As([]Use{use})
	got := s.Table("public", "orders")
	if got == nil || got.ID != 10 || got.Columns[1].Name != "city" || got.Columns[1].Hidden || !got.Columns[3].Hidden {
		t.Errorf("got %+v", got)
	}
	use.Columns = append(use.Columns, Bound{5, "note"})
	if s := NewSnapshot(old).As([]Use{use}); s.Table("public", "orders") != old {
		t.Error("a table that is as it was is another one")
	}
}

// TestWithoutColumn drops what stands over a column, and keeps its name in the store.
func TestWithoutColumn(t *testing.T) {
	o := orders().WithIndex(byTotal())
	o.Checks = []Check{{Name: "a", Columns: []Bound{{4, "total"}}}, {Name: "b", Columns: []Bound{{1, "id"}}}}
	c := o.WithoutColumn(4)
	if c.Column("total") >= 0 || c.Index("by_total") != nil || c.Check("a") >= 0 || c.Check("b") != 0 ||
		c.StorageNames[0] != "total" {
		t.Errorf("got %+v", c)
	}
	if o.Column("total") < 0 || o.Index("by_total") == nil || len(o.Checks) != 2 {
		t.Error("the table was changed")
	}
}
