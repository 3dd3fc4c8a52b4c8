package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// Eval implements Expr.
func (e Row) Eval(*Context, types.Row) (types.Value, error) {
	return types.Null, sqlerr.Unsupported("ROW")
}

// Eval implements Expr.
func (e Quantified) Eval(*Context, types.Row) (types.Value, error) {
	return types.Null, sqlerr.Unsupported("ANY (array)")
}

// Eval implements Expr.
func (e ArrayOf) Eval(*Context, types.Row) (types.Value, error) {
	return types.Null, sqlerr.Unsupported("ARRAY")
}

// Eval implements Expr.
func (e Subscript) Eval(*Context, types.Row) (types.Value, error) {
	return types.Null, sqlerr.Unsupported("a subscript")
}

// Eval implements Expr.
func (e Field) Eval(*Context, types.Row) (types.Value, error) {
	return types.Null, sqlerr.Unsupported("a field of a record")
}
