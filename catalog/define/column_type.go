package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Retyped is a table with another type of a column. The value is over the rows of before;
// nil when they stay as they are.
type Retyped struct {
	*catalog.Table
	Value expr.Expr
}

// staysKey refuses a column of a key whose new type has no order.
func staysKey(keys []uint32, c catalog.Column) error {
	switch {
	case !slices.Contains(keys, c.ID):
	case !analyze.Ordered(c.Type):
		return noOrder(c.Type, catalog.BTree)
	case !keyable(c.Type):
		return notKeyable(c.Type)
	}
	return nil
}

// SetType gives a column another type.
func (a *Alter) SetType(cmd ast.AlterCommand) (*Retyped, error) {
	i, err := a.Column(cmd.Name)
	if err != nil {
		return nil, err
	}
	c := a.Table.Columns[i]
	old := c.Type
	if c.Type, err = columnType(a, cmd.Column); err != nil {
		return nil, err
	}
	if err := a.keepsGenerated(&c, cmd); err != nil {
		return nil, err
	}
	value, err := a.converted(i, c, cmd)
	if err != nil {
		return nil, err
	}
	if c.Identity != catalog.NoIdentity {
		if err := sequenceType(c.Type, "identity column type"); err != nil {
			return nil, err
		}
	}
	if ttl := a.Table.TTL; ttl != nil && ttl.Column == c.ID && !tellsTime(c.Type) {
		return nil, countsFrom(c).At(int(cmd.Pos))
	}
	if err := a.redefault(a.Table.Columns[i], &c); err != nil {
		return nil, err
	}
	retyped := a.Table.WithColumn(i, func(to *catalog.Column) { *to = c })
	if retyped, err = reclassed(retyped, c.ID); err != nil {
		return nil, err
	}
	another, err := Expressions{a.Builder}.retype(retyped, c.ID)
	if err != nil {
		return nil, err
	}
	same := cmd.Using == nil && sameStored(old, c.Type) && !another
	if !same || !slices.Equal(axis.Of(c.ID, old), axis.Of(c.ID, c.Type)) { // such as points that may be other shapes
		if err := a.retypable(c.ID); err != nil {
			return nil, err
		}
	}
	if same {
		return &Retyped{Table: retyped}, nil
	}
	if slices.Contains(a.Table.Primary.Columns(), c.ID) {
		if err := a.keepsKeys(); err != nil {
			return nil, err
		}
	}
	if err := staysKey(inKeys(a.Table), c); err != nil {
		return nil, err
	}
	if err := keepClasses(a.Table, c.ID, c.Type); err != nil {
		return nil, err
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	moved.Columns = retyped.Columns
	if moved, err = reclassed(moved, c.ID); err != nil {
		return nil, err
	}
	moved.Columns[i].Missing = types.Null
	moved.Stats = moved.Stats.Without(c.ID)
	return &Retyped{Table: moved, Value: value}, nil
}

// retypable refuses another type of a column that keys are computed from: they may have no
// such part of it.
func (a *Alter) retypable(id uint32) error {
	computed := func(l *catalog.Layout) bool {
		return slices.ContainsFunc(l.Partition, func(p catalog.Part) bool {
			if p.Sharded() { // hashes any type, but heavy keys are of one
				return p.Kind == part.Heavy && p.Column == id
			}
			return !p.Plain() && slices.Contains(p.Columns(), id)
		})
	}
	if computed(&a.Table.Primary) {
		return sqlerr.Unsupported("altering the type of a column that the partitions of table %q are computed from",
			a.Table.Name)
	}
	if slices.ContainsFunc(a.Table.Primary.Curve(), func(d catalog.Dimension) bool {
		return axis.Is(d.Column) && axis.Column(d.Column) == id
	}) {
		return sqlerr.Unsupported("altering the type of a column of points of the primary key")
	}
	for i := range a.Table.Indexes {
		x := &a.Table.Indexes[i]
		if x.Method == catalog.ZOrder && slices.Contains(x.Layout.Columns(), id) {
			return sqlerr.Unsupported("altering the type of a column of z-order index %q", x.Name)
		}
		if computed(&x.Layout) {
			return sqlerr.Unsupported("altering the type of a column that the partitions of index %q are computed from",
				x.Name)
		}
	}
	return nil
}

// inKeys are the columns that the keys of a table and of its indexes are made of.
func inKeys(t *catalog.Table) []uint32 {
	ids := t.Primary.Columns()
	for _, x := range t.Indexes {
		if !x.Method.Inverted() {
			ids = append(ids, x.Layout.Columns()...)
		}
	}
	return ids
}

// converted is the new value of a column, over a row with the old one.
func (a *Alter) converted(i int, c catalog.Column, cmd ast.AlterCommand) (expr.Expr, error) {
	var e expr.Expr = expr.Column{Index: i, Name: c.Name, T: a.Table.Columns[i].Type}
	if cmd.Using != nil {
		var err error
		row := bind.NewScope(a.OfTable(a.Table, ""))
		if e, err = a.Over(row, a.Planner, "transform expressions").Expr(cmd.Using); err != nil {
			return nil, err
		}
	}
	out, ok, err := a.Coerce(e, c.Type, types.Assignment, -1)
	if err != nil || ok {
		return out, err
	}
	to := c.Type.Bare()
	if cmd.Using != nil {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch,
			"result of USING clause for column %q cannot be cast automatically to type %s", c.Name, to).
			WithHint("You might need to add an explicit cast.")
	}
	err = sqlerr.New(sqlerr.DatatypeMismatch, "column %q cannot be cast automatically to type %s", c.Name, to).
		WithHint("You might need to specify \"USING %s::%s\".", expr.QuoteIdent(c.Name), c.Type)
	return nil, err
}

// redefault wants the default of a column to suit its new type, and a value of its old type to be assigned to it.
func (a *Alter) redefault(old catalog.Column, c *catalog.Column) error {
	if c.Default == "" {
		return nil
	}
	ok := false
	value, err := a.Stored().Default(old)
	if err == nil {
		_, ok, err = a.Coerce(value, c.Type, types.Assignment, -1)
	}
	if err == nil && ok {
		_, err = a.Stored().Default(*c)
	}
	if err != nil || !ok {
		return sqlerr.New(sqlerr.DatatypeMismatch, "default for column %q cannot be cast automatically to type %s",
			c.Name, c.Type.Bare())
	}
	return nil
}

// sameStored says whether all values of a type are stored in the same way as values of
// another one, and need no change to be such.
func sameStored(from, to types.T) bool {
	text := func(t types.T) bool { return t.OID == types.OIDText || t.OID == types.OIDVarchar }
	switch {
	case from.Collation.Order != to.Collation.Order:
		return false
	case from.Same(to):
		return true
	case to.Domain != nil && from.Number() != to.Number(): // whose constraints they may not meet
		return false
	case text(from) && text(to):
		return to.Mod < 0 || to.OID == from.OID && from.Mod >= 0 && to.Mod >= from.Mod
	case from.OID == to.OID:
		return to.Mod < 0 && from.OID != types.OIDBpchar
	}
	return false
}
