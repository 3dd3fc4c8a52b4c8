package session

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/plpgsql"
	"zproxy/plpgsql/interpret"
	"zproxy/sqlerr"
	"zproxy/types"
)

// typeOf is the type of a variable.
func (r *routines) typeOf(v *plpgsql.Var, known []types.T) (types.T, error) {
	if v.Of != nil {
		return known[v.Of.Slot], nil
	}
	p := r.reach.planner(r.txn.Schema())
	text := strings.TrimSpace(v.Type)
	squeezed := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	switch {
	case squeezed == "record":
		return types.Record, nil
	case strings.HasSuffix(squeezed, "%rowtype"):
		text = text[:strings.LastIndexByte(text, '%')]
	case strings.HasSuffix(squeezed, "%type"):
		tree := ast.TypeName{Column: strings.Split(squeezed[:len(squeezed)-len("%type")], "."), Pos: -1}
		return p.TypeNamed(tree)
	}
	list, err := r.reach.parse("SELECT NULL::" + text)
	if err != nil {
		return types.T{}, err
	}
	tree := list[0].Statement.(*ast.Select).Targets[0].Expr
	collated, _ := tree.(*ast.Collate)
	if collated != nil {
		tree = collated.Arg
	}
	cast, ok := tree.(*ast.Cast)
	if !ok {
		return types.T{}, sqlerr.New(sqlerr.SyntaxError, "invalid type name \"%s\"", text)
	}
	t, err := p.TypeNamed(cast.Type)
	if err != nil || collated == nil {
		return t, err
	}
	if !t.OID.Collates() {
		return t, sqlerr.New(sqlerr.DatatypeMismatch, "collations are not supported by type %s", t.Bare())
	}
	c, err := p.Names.Collation(collated.Name)
	return t.In(c), err
}

// plNames are the variables that names in a text can mean.
type plNames struct {
	scope *plpgsql.Scope
	frame *interpret.Frame
	of    *plRoutine
	st    *plStatement
	err   error
}

// Conflicts implements bind.Variables.
func (*plNames) Conflicts() bool { return true }

// Numbered implements bind.Variables.
func (n *plNames) Numbered(i int) expr.Expr {
	if v := n.of.function.Scope.Vars["$"+strconv.Itoa(i)]; v != nil {
		return n.value(v, -1)
	}
	return nil
}

// Named implements bind.Variables.
func (n *plNames) Named(parts []string) expr.Expr {
	v := n.scope.Find(parts[0])
	if v == nil && len(parts) > 1 {
		if s := n.scope.Labelled(parts[0]); s != nil {
			v, parts = s.Vars[parts[1]], parts[1:]
		}
	}
	if v == nil {
		return nil
	}
	if len(parts) == 1 {
		return n.value(v, -1)
	}
	t := n.frame.Types[v.Slot]
	if !t.IsComposite() {
		return nil
	}
	if t.Def == nil {
		n.err = sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "record \"%s\" is not assigned yet", v.Name).
			WithDetail("The tuple structure of a not-yet-assigned record is indeterminate.")
		return n.value(v, -1)
	}
	at := slices.Index(t.Def.Names, parts[1])
	if at < 0 {
		if n.of.types[v.Slot].OID == types.OIDRecord {
			n.err = sqlerr.New(sqlerr.UndefinedColumn, "record \"%s\" has no field \"%s\"", v.Name, parts[1])
			return n.value(v, -1)
		}
		return nil
	}
	out := n.value(v, at)
	for _, name := range parts[2:] {
		row := out.Type().Def
		if row == nil || slices.Index(row.Names, name) < 0 {
			return nil
		}
		i := slices.Index(row.Names, name)
		out = expr.Field{Arg: out, Ordinal: i, Name: name, T: row.Types[i]}
	}
	return out
}

// value is the parameter of a variable, or of a field of it.
func (n *plNames) value(v *plpgsql.Var, field int) expr.Expr {
	t := n.frame.Types[v.Slot]
	b := plBinding{v.Slot, field, t}
	if field >= 0 {
		b.t = t.Def.Types[field]
	}
	for i, old := range n.st.bindings {
		if old.slot == b.slot && old.field == b.field {
			return expr.Param{Number: i, T: old.t}
		}
	}
	n.st.bindings = append(n.st.bindings, b)
	return expr.Param{Number: len(n.st.bindings) - 1, T: b.t}
}
