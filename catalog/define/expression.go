package define

import (
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/deparse"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Expressions are the columns of tables that stand for expressions which indexes are over.
type Expressions struct{ Builder }

// inKey gives a table the columns that the expressions of a key stand for, and the key over columns alone.
func (b Expressions) inKey(t *catalog.Table, keys []ast.KeyPart) (*catalog.Table, []ast.KeyPart, error) {
	out := slices.Clone(keys)
	for i := range out {
		k := &out[i]
		if err := collateKey(b.Builder, t, k); err != nil {
			return nil, nil, err
		}
		if k.Expr == nil {
			continue
		}
		c, err := b.column(t, k)
		if err != nil {
			return nil, nil, err
		}
		if k.Column = c.Name; !c.Hidden {
			k.Expr = nil
		} else if t.Ordinal(c.ID) < 0 {
			with := *t
			with.Columns = append(slices.Clip(t.Columns), c)
			t = &with
		}
	}
	return t, out, nil
}

// column is the column that an expression stands for: a new one, that of the same expression in another
// index, or the one that is all of the expression.
func (b Expressions) column(t *catalog.Table, k *ast.KeyPart) (catalog.Column, error) {
	of, e, err := stated(b.Builder, t, k.Text, func(c *catalog.Condition) (expr.Expr, map[int]bool, error) {
		return b.Stored().BindIndexed(t, c, k.Expr)
	})
	c := catalog.Column{ID: catalog.FirstExpression, Hidden: true, Generated: of}
	if err != nil {
		return c, err
	}
	if in, is := e.(expr.Collate); is && in.To == in.Arg.Type().Collation {
		e = in.Arg
	}
	if column, is := e.(expr.Column); is {
		return t.Columns[column.Index], nil
	}
	if celltime.Has(t) {
		return c, sqlerr.Unsupported("an index on an expression over a table whose cells have timestamps")
	}
	for _, of := range t.Columns {
		c.ID = max(c.ID, of.ID+1)
	}
	c.Type = e.Type()
	if c.Type.Collation == types.Mixed {
		return c, uncollated("could not determine which collation to use for index expression")
	}
	if types.InfoOf(c.Type.OID).Category == types.CategoryPseudo {
		return c, sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s",
			clause.IndexColumnName(k.Expr), c.Type)
	}
	c.Name = b.text(t, c)
	c.StorageName = "_expression" + strconv.Itoa(int(c.ID-catalog.FirstExpression))
	if at := slices.IndexFunc(t.Columns, sameExpression(c)); at >= 0 {
		return t.Columns[at], nil
	}
	return c, nil
}

// text is how the key of an index shows an expression, which is the name of its column.
func (b Expressions) text(t *catalog.Table, c catalog.Column) string {
	d := &deparse.Deparser{Catalog: b.Catalog, Env: b.Env, ParseExpr: parser.Expression, ParseQuery: parser.Query}
	text, err := d.Indexed(t, c, deparse.Style{Pretty: true})
	if err != nil {
		return "(" + c.Generated.Text + ")"
	}
	return text
}

// Renamed names the columns of a table anew in whose expressions a column may have got another name.
func (b Expressions) Renamed(t *catalog.Table) *catalog.Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		if c := &out.Columns[i]; c.Expression() {
			c.Name = b.text(t, *c)
		}
	}
	return &out
}

// retype gives the columns of expressions over a column, which has another type now, their types and names. It says
// whether the type of one of them is another one.
func (b Expressions) retype(t *catalog.Table, column uint32) (another bool, err error) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if !c.Expression() || !c.Generated.Names(column) {
			continue
		}
		tree, err := parser.Expression(c.Generated.Text)
		if err != nil {
			return false, err
		}
		e, _, err := b.Stored().BindIndexed(t, c.Generated, tree)
		if err != nil {
			return false, bind.InStored(err)
		}
		another = another || !e.Type().Same(c.Type)
		c.Type = e.Type()
		c.Name = b.text(t, *c)
	}
	return another, nil
}

// WithExpressions is a table with the columns of expressions and elements that another one has, whose columns have the
// same names.
func WithExpressions(t, of *catalog.Table) *catalog.Table {
	out := *t
	for _, c := range of.Columns {
		if !c.Unstored() || slices.ContainsFunc(out.Columns, sameExpression(c)) {
			continue
		}
		if c.Expression() {
			for out.Ordinal(c.ID) >= 0 {
				c.ID++
			}
			generated := *c.Generated
			generated.Over.Columns = boundsIn(t, of, generated.Over.Columns)
			c.Generated = &generated
		}
		out.Columns = append(slices.Clip(out.Columns), c)
	}
	return &out
}

// sameExpression says of a column whether it stands for the expression, or elements, that another one stands for.
func sameExpression(c catalog.Column) func(catalog.Column) bool {
	return func(o catalog.Column) bool { return o.Unstored() && o.Name == c.Name && o.Type.Same(c.Type) }
}
