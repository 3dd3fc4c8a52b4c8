package define

import (
	"reflect"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/family"
	"zproxy/expr"
	"zproxy/sqlerr"
)

// Attachable refuses a table that cannot become a partition of another one, whatever its columns are.
func (b Builder) Attachable(parent, t *catalog.Table) error {
	temporary := func(t *catalog.Table) bool { return strings.HasPrefix(t.Schema, catalog.TemporaryPrefix) }
	switch {
	case t.PartitionOf != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "%q is already a partition", t.Name)
	case t.OfType != 0:
		return sqlerr.New(sqlerr.WrongObjectType, "cannot attach a typed table as partition")
	case t.ID == parent.ID:
		return sqlerr.New(sqlerr.DuplicateTable, "circular inheritance not allowed").
			WithDetail("%q is already a child of %q.", parent.Name, t.Name)
	case temporary(t) && !temporary(parent):
		return sqlerr.New(sqlerr.WrongObjectType,
			"cannot attach a temporary relation as partition of permanent relation %q", parent.Name)
	case !temporary(t) && temporary(parent):
		return sqlerr.New(sqlerr.WrongObjectType,
			"cannot attach a permanent relation as partition of temporary relation %q", parent.Name)
	case t.Foreign != nil:
		return sqlerr.Unsupported("attaching a foreign table as a partition")
	case celltime.Has(t):
		return sqlerr.Unsupported("attaching a table whose cells have timestamps")
	case family.With(t):
		return sqlerr.Unsupported("attaching a table that is interleaved")
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; !c.Hidden && shown(parent, c.Name) < 0 {
			return sqlerr.New(sqlerr.DatatypeMismatch, "table %q contains column %q not found in parent %q", t.Name,
				c.Name, parent.Name).
				WithDetail("The new partition may contain only the columns present in parent.")
		}
	}
	return nil
}

// shown is the place of a column that is not hidden, -1 if there is none of a name.
func shown(t *catalog.Table, name string) int {
	at := t.Column(name)
	if at >= 0 && t.Columns[at].Hidden {
		return -1
	}
	return at
}

// MatchesParent wants a table to have the columns and checks that its parent has.
func (b Builder) MatchesParent(parent, t *catalog.Table) error {
	mismatch := func(format string, args ...any) error { return sqlerr.New(sqlerr.DatatypeMismatch, format, args...) }
	for i := range parent.Columns {
		c := &parent.Columns[i]
		if c.Hidden {
			continue
		}
		at := shown(t, c.Name)
		switch {
		case at < 0:
			return mismatch("child table is missing column %q", c.Name)
		case !t.Columns[at].Type.Same(c.Type):
			return mismatch("child table %q has different type for column %q", t.Name, c.Name)
		case c.NotNull && !t.Columns[at].NotNull:
			return mismatch("column %q in child table must be marked NOT NULL", c.Name)
		}
	}
	for _, k := range parent.Checks {
		at := t.Check(k.Name)
		if at < 0 {
			return mismatch("child table is missing constraint %q", k.Name)
		}
		same, err := b.sameCheck(parent, &k, t, &t.Checks[at])
		switch {
		case err != nil:
			return err
		case !same:
			return mismatch("child table %q has different definition for check constraint %q", t.Name, k.Name)
		case t.Checks[at].Conflict(k.Validity) != "":
			return childConflict(t, &t.Checks[at], k.Validity)
		}
	}
	return nil
}

// sameCheck says whether checks of two tables with columns of the same names mean the same.
func (b Builder) sameCheck(t *catalog.Table, k *catalog.Check, o *catalog.Table, of *catalog.Check) (bool, error) {
	cond := func(t *catalog.Table, k *catalog.Check) (expr.Expr, error) {
		only := *t
		only.Checks = []catalog.Check{*k}
		checks, err := b.Stored().Checks(&only)
		if err != nil {
			return nil, err
		}
		return checks[0].Cond, nil
	}
	x, err := cond(t, k)
	if err != nil {
		return false, err
	}
	y, err := cond(o, of)
	if err != nil {
		return false, err
	}
	y = expr.Renumber(y, func(i int) int { return t.Column(o.Columns[i].Name) })
	return expr.Equal(x, y), nil
}

// Numbered says whether the columns of a table have the numbers and the order that those of its parent have.
func Numbered(parent, t *catalog.Table) bool {
	return t.NextColumn <= parent.NextColumn && fitsParent(parent, t) == nil
}

// Conform makes a table one with the columns of its parent, in spaces of its own. It gives the values of the new
// columns over the old ones, and the sequences of columns that have other numbers.
func (a *Alter) Conform(parent *catalog.Table) (*catalog.Table, map[uint32]expr.Expr, []*catalog.Sequence, error) {
	t := a.Table
	of := map[uint32]uint32{}
	for i := range t.Columns {
		c := &t.Columns[i]
		at := parent.Column(c.Name)
		if at < 0 || parent.Columns[at].Hidden != c.Hidden {
			return nil, nil, nil, sqlerr.Unsupported("attaching a table with the hidden column %q", c.Name).
				WithHint("It comes from a TTL without ttl_column, or from random shards.")
		}
		of[c.ID] = parent.Columns[at].ID
	}
	if slices.ContainsFunc(t.Indexes, curved) || t.Primary.Curve() != nil {
		return nil, nil, nil, sqlerr.Unsupported("attaching a table with a Z-order index and another order of columns").
			WithHint("Create the table with its columns in the order of %q, or drop the index.", parent.Name)
	}
	moved, err := a.moved()
	if err != nil {
		return nil, nil, nil, err
	}
	out := renumber(moved, func(id uint32) uint32 { return of[id] })
	values := map[uint32]expr.Expr{}
	for _, c := range parent.Columns {
		values[c.ID] = expr.Const{T: c.Type} // of a row id, which each row gets for itself
		if at := t.Column(c.Name); at >= 0 && !c.Unstored() {
			own := moved.Columns[at]
			own.ID, own.StorageName = c.ID, c.StorageName
			values[c.ID] = expr.Column{Index: at, Name: c.Name, T: c.Type}
			c = own
		}
		out.Columns = append(out.Columns, c)
	}
	out.NextColumn, out.Stats = parent.NextColumn, catalog.Stats{}
	return out, values, a.ownedBy(of), a.retie(out)
}

func curved(x catalog.Index) bool { return x.Layout.Curve() != nil }

// ownedBy are the sequences of the table's columns that have other numbers.
func (a *Alter) ownedBy(of map[uint32]uint32) []*catalog.Sequence {
	var out []*catalog.Sequence
	for _, q := range a.Catalog.Sequences() {
		if q.OwnerTable == a.Table.ID && of[q.OwnerColumn] != q.OwnerColumn {
			c := *q
			c.Version++
			c.OwnerColumn = of[q.OwnerColumn]
			out = append(out, &c)
		}
	}
	return out
}

// SameIndex says whether an index of a partition is what one of its parent stands for.
func (b Builder) SameIndex(parent *catalog.Table, of *catalog.Index, t *catalog.Table, x *catalog.Index) (bool, error) {
	if x.Method != of.Method || x.Unique != of.Unique || of.Constraint && !x.Constraint || x.Covers != of.Covers ||
		!slices.Equal(x.Classes, of.Classes) ||
		x.Layout.NullsEqual != of.Layout.NullsEqual || x.Layout.Timing != of.Layout.Timing || x.Keys != of.Keys ||
		x.Partial() != of.Partial() || !sameIDs(x.Include, of.Include) ||
		!reflect.DeepEqual(x.Layout.Declared(), of.Layout.Declared()) {
		return false, nil
	}
	if !x.Partial() {
		return true, nil
	}
	cond := func(t *catalog.Table, x *catalog.Index) (expr.Expr, error) {
		only := *t
		only.Indexes = []catalog.Index{*x}
		list, err := b.Stored().Predicates(&only)
		if err != nil {
			return nil, err
		}
		return list[0].Cond, nil
	}
	own, err := cond(t, x)
	if err != nil {
		return false, err
	}
	want, err := cond(parent, of)
	return err == nil && expr.Equal(own, want), err
}

func sameIDs(a, b []uint32) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// WithoutRowID is a table without the hidden row id that nothing goes by any more, if it has one.
func WithoutRowID(t *catalog.Table) *catalog.Table {
	at := t.Column(catalog.RowID)
	if at < 0 || !t.Columns[at].Hidden || slices.Contains(t.Primary.Sources(), t.Columns[at].ID) {
		return t
	}
	return t.WithoutColumn(t.Columns[at].ID)
}
