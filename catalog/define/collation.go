package define

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// collated is a type with the collation that was written for it, or its own one.
func collated(b Builder, name ast.Name, t types.T) (types.T, error) {
	if name.Name == "" {
		return t, nil
	}
	c, err := b.Names.Collation(name)
	if err != nil {
		return t, err
	}
	if !t.OID.Collates() {
		return t, sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s",
			types.Of(t.OID)).At(int(name.Pos))
	}
	return t.In(c), nil
}

// columnType is the type of a column that has a definition, with its collation.
func columnType(a *Alter, d *ast.ColumnDef) (types.T, error) {
	t, err := a.storedType(d.Type)
	if err != nil {
		return t, err
	}
	return collated(a.Builder, d.Collation, t)
}

// collateKey makes a column of an index that has another order there than in its table an expression.
func collateKey(b Builder, t *catalog.Table, k *ast.KeyPart) error {
	at := t.Column(k.Column)
	if k.Collation.Name == "" || k.Expr == nil && at < 0 {
		return nil
	}
	if k.Expr == nil {
		typ, err := collated(b, k.Collation, t.Columns[at].Type)
		if err != nil || typ.Collation.Order == t.Columns[at].Type.Collation.Order {
			return err
		}
		k.Expr, k.Text = &ast.Column{Parts: []string{k.Column}, Pos: k.Pos}, expr.QuoteIdent(k.Column)
	}
	k.Expr = &ast.Collate{Arg: k.Expr, Name: k.Collation, Pos: k.Pos}
	k.Text = "(" + k.Text + ") COLLATE "
	if k.Collation.Schema != "" {
		k.Text += expr.QuoteIdent(k.Collation.Schema) + "."
	}
	k.Text += expr.QuoteIdent(k.Collation.Name)
	return nil
}

// uncollated is the error of an object that is to have the texts of an expression without a collation.
func uncollated(format string, args ...any) error {
	return sqlerr.New(sqlerr.IndeterminateCollation, format, args...).
		WithHint("Use the COLLATE clause to set the collation explicitly.")
}
