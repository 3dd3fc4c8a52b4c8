package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// Collate is a text, or an array of texts, in another collation. If it is Written the collation is the choice of the
// statement, which counts more than those of columns.
type Collate struct {
	Arg     Expr
	To      types.Collation
	Written bool
	Pos     int           // 1-based, of COLLATE; 0: it has none
	Fails   *sqlerr.Error // there is no value, since what asks for it cannot use the collation; nil: there is one
}

func (Collate) expr() {}

// Type implements Expr.
func (e Collate) Type() types.T { return e.Arg.Type().In(e.To) }

// Inputs implements Expr.
func (e Collate) Inputs() []Expr { return []Expr{e.Arg} }

// WithInputs implements Expr.
func (e Collate) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// String implements Expr. PostgreSQL shows no collations but those of constants.
func (e Collate) String() string { return e.Arg.String() }

// Eval implements Expr.
func (e Collate) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.Arg.Eval(c, row)
	if err != nil || v.IsNull() {
		return types.Null, err
	}
	if e.Fails != nil {
		return types.Null, e.Fails
	}
	return e.Type().Collate(v), nil
}

// Compared is an expression as it is compared by a collation: without what gives it another name of the same order, so
// that an index on a column serves.
func Compared(e Expr, by types.Collation) Expr {
	for {
		inner, ok := e.(Collate)
		if !ok || inner.Fails != nil || inner.Arg.Type().Collation.Order != by.Order {
			return InCollation(e, by)
		}
		e = inner.Arg
	}
}

// InCollation is an expression whose values are in a collation, as itself where they are so already.
func InCollation(e Expr, to types.Collation) Expr {
	t := e.Type()
	if t.Collation == to || !t.OID.Collates() {
		return e
	}
	switch x := e.(type) {
	case Column:
		if t.Collation.Order == to.Order {
			x.T = t.In(to)
			return x
		}
	case Const:
		x.T = t.In(to)
		x.Value = x.T.Collate(x.Value)
		return x
	}
	if t.Collation.Order == to.Order {
		return e
	}
	return Collate{Arg: e, To: to}
}
