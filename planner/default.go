package planner

import (
	"slices"
	"zproxy/expr/builtin/system"
	"zproxy/planner/bind"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// defaultOf is the value of a column that none is given for.
func (p *Planner) defaultOf(c catalog.Column) (expr.Expr, error) {
	if c.Identity != catalog.NoIdentity {
		return identityValue(c), nil
	}
	if c.Default == "" {
		return expr.Const{T: c.Type}, nil
	}
	tree, err := p.ParseExpr(c.Default)
	if err != nil {
		return nil, err
	}
	end, err := p.Reading(c.DefaultRead)
	defer end()
	if err != nil {
		return nil, err
	}
	out, err := p.naming(&boundNames{bound: c.DefaultUses}).Default(tree, c)
	return out, bind.InStored(err)
}

// identityValue is the next number of an identity column.
func identityValue(c catalog.Column) expr.Expr {
	next := expr.Call{Fn: system.NextIdentity, Args: []expr.Expr{sequenceConst(c.Sequence)}, T: types.Int8}
	cast, ok := types.FindCast(types.OIDInt8, c.Type.OID)
	if !ok {
		return next
	}
	return expr.Cast{Arg: next, To: c.Type, Fn: cast.Fn}
}

// NewDefault gives a column a default.
func (p *Planner) NewDefault(c *catalog.Column, tree ast.Expr, text string) error {
	names, read := &boundNames{}, p.Written()
	var value expr.Expr
	if err := p.Noted(read, func() (err error) {
		value, err = p.naming(names).Default(tree, *c)
		return err
	}); err != nil {
		return err
	}
	if k, ok := value.(expr.Const); ok && k.Value.IsNull() {
		text = "" // which is none
	}
	c.Default, c.DefaultUses, c.DefaultRead = text, names.bound, read
	return nil
}

// naming is the planner with other names for relations in texts of type regclass.
func (p *Planner) naming(n *boundNames) *Planner {
	c, env := *p, *p.Env
	n.names = p.Env.Names
	env.Names = n
	c.Env = &env
	return &c
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

// overridden says whether the value that an INSERT gives for a column is not to be used,
// by its OVERRIDING clause.
func overridden(c catalog.Column, overriding string) (bool, error) {
	switch {
	case c.Identity == catalog.NoIdentity:
		return false, nil
	case overriding == "user":
		return true, nil
	case c.Identity == catalog.IdentityAlways && overriding != "system":
		return false, sqlerr.New(sqlerr.GeneratedAlways, "cannot insert a non-DEFAULT value into column %q", c.Name).
			WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", c.Name).
			WithHint("Use OVERRIDING SYSTEM VALUE to override.")
	}
	return false, nil
}

// updatable refuses a value for a column that only has generated ones.
func updatable(c catalog.Column) error {
	if c.Identity != catalog.IdentityAlways {
		return nil
	}
	return sqlerr.New(sqlerr.GeneratedAlways, "column %q can only be updated to DEFAULT", c.Name).
		WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", c.Name)
}
