package define

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// newDefault gives a column a default.
func (b Builder) newDefault(c *catalog.Column, tree ast.Expr, text string) error {
	read := b.Written()
	var value expr.Expr
	var uses []catalog.Bound
	if err := bind.Noted(&b.Binder, read, func() (err error) {
		value, uses, err = b.Stored().BindDefault(tree, *c)
		return err
	}); err != nil {
		return err
	}
	if k, ok := value.(expr.Const); ok && k.Value.IsNull() && c.Type.Domain == nil {
		text = "" // which is none
	}
	c.Default, c.DefaultUses, c.DefaultRead = text, uses, read
	return nil
}

// SetDefault gives a column a default, or with a nil tree takes it away.
func (a *Alter) SetDefault(name string, d *ast.ColumnDef) (*catalog.Table, error) {
	i, err := a.Column(name)
	if err != nil {
		return nil, err
	}
	c := a.Table.Columns[i]
	if c.Identity != catalog.NoIdentity {
		e := sqlerr.New(sqlerr.SyntaxError, "column %q of relation %q is an identity column", name, a.Table.Name)
		if d == nil {
			e = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP IDENTITY instead.")
		}
		return nil, e
	}
	if c.Generated != nil {
		e := sqlerr.New(sqlerr.SyntaxError, "column %q of relation %q is a generated column", name, a.Table.Name)
		if d == nil {
			e = e.WithHint("Use ALTER TABLE ... ALTER COLUMN ... DROP EXPRESSION instead.")
		}
		return nil, e
	}
	c.Default, c.DefaultUses, c.DefaultRead = "", nil, nil
	if d != nil {
		if err := a.newDefault(&c, d.Default, d.DefaultText); err != nil {
			return nil, err
		}
	}
	return a.Table.WithColumn(i, func(to *catalog.Column) { *to = c }), nil
}
