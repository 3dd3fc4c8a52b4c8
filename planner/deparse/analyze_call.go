package deparse

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

func (a *analyzer) call(e *ast.Call) (node, error) {
	if n, ok := valueFunctionOf(e); ok {
		return n, nil
	}
	args, err := a.exprs(e.Args)
	if err != nil {
		return nil, err
	}
	within, err := a.sorted(e.Within)
	if err != nil {
		return nil, err
	}
	given := make([]types.OID, 0, len(args)+len(within))
	for _, n := range args {
		given = append(given, n.typ().OID)
	}
	for _, s := range within {
		given = append(given, s.expr.typ().OID)
	}
	c, err := chooseProc(e, given)
	if err != nil {
		return nil, err
	}
	if c == nil { // the name of a type
		to, _ := types.Lookup(e.Name)
		return a.coerceTo(args[0], types.Of(to.OID), types.Explicit, explicitCall)
	}
	declared, result, err := resolve(c.args, given, c.proc.Result)
	if err != nil {
		return nil, err
	}
	hypothetical(c, given, declared)
	for i := range args {
		if args[i], err = a.coerce(args[i], declared[i], types.Implicit, implicitCast); err != nil {
			return nil, err
		}
	}
	for i := range within {
		if within[i].expr, err = a.sortedAs(within[i].expr, declared[len(args)+i]); err != nil {
			return nil, err
		}
	}
	if c.proc.Kind == 'f' {
		out := &call{proc: c.proc, args: args, names: e.ArgNames, t: types.Of(result), variadic: e.Variadic}
		if e.Syntax {
			out.form = sqlSyntax
		}
		return out, nil
	}
	return a.aggregate(e, &aggregate{proc: c.proc, args: args, within: within, t: types.Of(result), variadic: e.Variadic})
}

// hypothetical gives each argument of a hypothetical set the type that it has in common with
// what the set is sorted by.
func hypothetical(c *candidate, given, declared []types.OID) {
	if c.proc.Kind != 'a' || c.proc.Variadic != types.OIDAny || len(given)%2 != 0 {
		return
	}
	half := len(given) / 2
	for i := range half {
		t := commonType([]node{&caseTest{types.Of(given[i])}, &caseTest{types.Of(given[half+i])}})
		declared[i], declared[half+i] = t, t
	}
}

// sortedAs is what WITHIN GROUP sorts by, as the aggregate takes it.
func (a *analyzer) sortedAs(n node, t types.OID) (node, error) {
	if t == types.OIDAny {
		return a.known(n)
	}
	return a.coerce(n, t, types.Implicit, implicitCast)
}

func (a *analyzer) aggregate(e *ast.Call, out *aggregate) (node, error) {
	var err error
	out.star, out.distinct = e.Star, e.Distinct
	if out.order, err = a.sorted(e.OrderBy); err != nil {
		return nil, err
	}
	if e.Filter != nil {
		if out.filter, err = a.boolean(a.expr(e.Filter)); err != nil {
			return nil, err
		}
	}
	if e.Over != nil {
		out.over, err = a.window(e.Over)
	}
	return out, err
}

// sorted is ORDER BY where only expressions stand.
func (a *analyzer) sorted(list []ast.Sort) ([]sortItem, error) {
	var out []sortItem
	for _, s := range list {
		n, err := a.expr(s.Expr)
		if err == nil {
			n, err = a.known(n)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, sortOf(n, s))
	}
	return out, nil
}

func sortOf(n node, s ast.Sort) sortItem {
	first := s.Nulls == ast.NullsFirst || s.Nulls == ast.NullsDefault && s.Desc
	return sortItem{expr: n, desc: s.Desc, nullsFirst: first}
}

// chooseProc is func_get_detail; it finds nothing where a type of the name is meant.
func chooseProc(e *ast.Call, given []types.OID) (*candidate, error) {
	var all []candidate
	for _, schema := range schemasOf(e.Schema) {
		for _, p := range expr.ProcsNamed(schema, e.Name) {
			all = append(all, candidatesOf(p, e, len(given))...)
		}
	}
	for i := range all {
		if slices.Equal(all[i].args, given) {
			return &all[i], nil
		}
	}
	if len(given) == 1 && e.ArgNames == nil && isTypeCall(e.Name, given[0]) {
		return nil, nil
	}
	if c, ok := choose(all, given); ok {
		return c, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", e.Name)
}

func schemasOf(schema string) []string {
	if schema == "" {
		return []string{"pg_catalog"}
	}
	return []string{schema}
}

// isTypeCall says whether a call of a type's name is a cast.
func isTypeCall(name string, given types.OID) bool {
	info, ok := types.Lookup(strings.ToLower(name))
	if !ok || info.Name != name {
		return false
	}
	if given == types.OIDUnknown {
		return true
	}
	p, ok := findPathway(given, info.OID, types.Explicit)
	return ok && (p.kind == relabelCast || p.kind == textCast)
}

// candidatesOf is how a procedure can be called with a number of arguments.
func candidatesOf(p *expr.Proc, e *ast.Call, n int) []candidate {
	declared := p.Args
	if e.Star {
		n = 0
	}
	if e.ArgNames != nil {
		c, ok := namedCandidate(p, e)
		if !ok {
			return nil
		}
		return []candidate{c}
	}
	repeats := p.Variadic != 0 && !e.Variadic
	switch {
	case repeats && n >= len(declared):
		item := p.Variadic
		args := slices.Clone(declared[:len(declared)-1])
		if e.Within != nil && p.Kind == 'a' && len(args) > 0 { // direct ones and those of WITHIN GROUP
			args = args[:0]
		}
		for len(args) < n {
			args = append(args, item)
		}
		return []candidate{{args: args, proc: p, items: true}}
	case n > len(declared) || n < len(declared)-len(p.Defaults):
		return nil
	}
	return []candidate{{args: declared[:n], proc: p}}
}

// namedCandidate puts the types of arguments in the order in which a call names them.
func namedCandidate(p *expr.Proc, e *ast.Call) (candidate, bool) {
	c := candidate{proc: p}
	for i, name := range e.ArgNames {
		at := i
		if name != "" {
			at = slices.Index(p.ArgNames, name)
		}
		if at < 0 || at >= len(p.Args) {
			return c, false
		}
		c.args = append(c.args, p.Args[at])
	}
	return c, len(c.args) >= len(p.Args)-len(p.Defaults)
}
