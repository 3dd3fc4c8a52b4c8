package stored

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Default is the value of a column that none is given for.
func (x Expressions) Default(c catalog.Column) (expr.Expr, error) {
	if c.Identity != catalog.NoIdentity {
		return identityValue(c), nil
	}
	if of, _ := x.Catalog.TypeOf(c.Type.Number()); c.Default == "" && c.Type.IsDomain() && of != nil {
		return x.ofDomain(of, c)
	}
	if c.Default == "" {
		return expr.Const{T: c.Type}, nil
	}
	tree, err := parser.Expression(c.Default)
	if err != nil {
		return nil, err
	}
	end, err := bind.AsStored(x.Binder, c.DefaultRead)
	defer end()
	if err != nil {
		return nil, err
	}
	out, err := x.naming(&boundNames{bound: c.DefaultUses}).asDefault(tree, c)
	return out, bind.InStored(err)
}

// ofDomain is the default of a column that has none of its own: that of its domain, or of what that is over.
func (x Expressions) ofDomain(of *catalog.Type, c catalog.Column) (expr.Expr, error) {
	below := of.AsColumn()
	below.Type = x.Catalog.Defined(below.Type)
	value, err := x.Default(below)
	if err != nil {
		return nil, err
	}
	return x.Constrained(value, c.Type)
}

// identityValue is the next number of an identity column.
func identityValue(c catalog.Column) expr.Expr {
	sequence := expr.Const{Value: types.NewInt(int64(c.Sequence)), T: types.Of(types.OIDRegclass)}
	next := expr.Call{Fn: system.NextIdentity, Args: []expr.Expr{sequence}, T: types.Int8}
	cast, ok := types.FindCast(types.OIDInt8, c.Type.OID)
	if !ok {
		return next
	}
	return expr.Cast{Arg: next, To: c.Type, Fn: cast.Fn}
}

// BindDefault is what a new default of a column means, and the relations that its constants name.
func (x Expressions) BindDefault(tree ast.Expr, c catalog.Column) (expr.Expr, []catalog.Bound, error) {
	names := &boundNames{}
	value, err := x.naming(names).asDefault(tree, c)
	return value, names.bound, err
}

// asDefault binds an expression that is assigned to a column.
func (x Expressions) asDefault(tree ast.Expr, c catalog.Column) (expr.Expr, error) {
	none := bind.NewScope()
	none.Refusal = "cannot use column reference in DEFAULT expression"
	e, err := x.in(none, "DEFAULT expressions").Expr(tree)
	if err != nil {
		return nil, err
	}
	out, ok, err := x.Coerce(e, c.Type, types.Assignment, analyze.Start(tree))
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s",
			c.Name, c.Type.Bare(), e.Type().Bare()).
			WithHint("You will need to rewrite or cast the expression.")
	}
	return out, err
}

// naming has other names for relations in texts of type regclass.
func (x Expressions) naming(n *boundNames) Expressions {
	b, env := *x.Binder, *x.Env
	n.names = x.Env.Names
	env.Names = n
	b.Env = &env
	x.Binder = &b
	return x
}

// boundNames are the names of relations in a stored expression, which go on to mean what
// they meant when it was stored. New ones are added.
type boundNames struct {
	names types.Names // nil knows none
	bound []catalog.Bound
}

// OIDOf implements types.Names.
func (n *boundNames) OIDOf(kind types.OID, text string) (uint32, error) {
	at := slices.IndexFunc(n.bound, func(b catalog.Bound) bool { return b.Name == text })
	if kind == types.OIDRegclass && at >= 0 {
		return n.bound[at].ID, nil
	}
	if n.names == nil {
		return 0, sqlerr.Unsupported("a name of type %s here", types.Of(kind))
	}
	id, err := n.names.OIDOf(kind, text)
	if err == nil && kind == types.OIDRegclass {
		n.bound = append(n.bound, catalog.Bound{ID: id, Name: text})
	}
	return id, err
}

// NameOf implements types.Names.
func (n *boundNames) NameOf(kind types.OID, oid uint32) string {
	if n.names == nil {
		return ""
	}
	return n.names.NameOf(kind, oid)
}
