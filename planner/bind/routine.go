package bind

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/expr/builtin/span"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/types"
)

// routineCall makes a call of a function of the catalog, whose VARIADIC arguments are an array.
func (b caster) routineCall(c analyze.Call[expr.Expr]) (expr.Expr, error) {
	f := c.Fn.Routine.(*catalog.Function)
	if c.Fn.Via == nil {
		b.usesRoutine(f)
	}
	args, last := c.Args, len(c.Fn.Args)-1
	if c.Ordinals != nil {
		var err error
		if args, err = b.byParameter(c); err != nil {
			return nil, err
		}
	}
	if c.Fn.Variadic && !c.Spread && (c.Ordinals == nil || c.Ordinals[last] >= 0) {
		args = gathered(args, last)
	}
	args, err := b.ofDomains(f, givenTo(f, args))
	if err != nil {
		return nil, err
	}
	made := expr.Call{Args: args, T: c.T}
	known := expr.RoutineCall{Of: f, Types: analyze.Types(args), For: b.stepsOf}
	if made.T.OID == types.OIDRecord {
		if made.T.Def, err = b.outputs(f, args); err != nil {
			return nil, err
		}
		if f.Procedure && routine.Polymorphic(f) {
			known.Row = made.T.Def
		}
	}
	if out := inliner(b).inlined(c, made); out != nil {
		return out, nil
	}
	known.Result = made.T
	if made.Fn = constructor(c.Fn, f, made.T); made.Fn == nil {
		made.Fn = routine.Run(c.Fn, known)
	}
	return made, nil
}

// constructor is a function that makes ranges of users, nil for another function.
func constructor(fn *expr.Function, f *catalog.Function, result types.T) *expr.Function {
	if f.Language != routine.InternalLanguage || result.Range() == nil {
		return nil
	}
	out := *fn
	if out.FnN = span.Constructor(f.Body, result.Range()); out.FnN == nil {
		return nil
	}
	return &out
}

// outputs are the fields of what a function with several results returns to a call with some arguments.
func (b *Binder) outputs(f *catalog.Function, args []expr.Expr) (*types.Definition, error) {
	row := routine.ResultRow(f)
	if row == nil || !routine.Polymorphic(f) {
		return row, nil
	}
	var declared []types.OID
	for _, p := range f.Inputs() {
		declared = append(declared, p.Type.Number())
	}
	out := &types.Definition{Names: row.Names}
	for _, t := range row.Types {
		s, err := analyze.Signature{Args: declared, Result: t.Number()}.Resolve(analyze.Types(args))
		if err != nil {
			return nil, err
		}
		out.Types = append(out.Types, b.Typed(s.Result))
	}
	return out, nil
}

// gathered makes one array of the arguments from one on.
func gathered(args []expr.Expr, from int) []expr.Expr {
	array := types.Of(types.InfoOf(args[from].Type().OID).Array)
	items := slices.Clone(args[from:])
	return append(slices.Clone(args[:from]), expr.ArrayOf{Items: items, T: array})
}

// ofDomains has arguments of a function meet the domains that its parameters are of.
func (b caster) ofDomains(f *catalog.Function, args []expr.Expr) ([]expr.Expr, error) {
	out := slices.Clone(args)
	for i, p := range f.Inputs() {
		if p.Type.Domain == nil || i >= len(out) {
			continue
		}
		var err error
		if out[i], err = b.Constrained(out[i], b.Typed(p.Type.Number())); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// usesRoutine notes a function that a stored query calls.
func (n *Names) usesRoutine(f *catalog.Function) {
	notes(n, types.OIDRegproc, f.Name, f.ID)
	if n.Uses == nil || slices.ContainsFunc(*n.Uses, func(u catalog.Use) bool { return u.ID == f.ID }) {
		return
	}
	*n.Uses = append(*n.Uses, catalog.Use{ID: f.ID, Schema: f.Schema, Name: f.Name, Function: true})
}

// routineDefault is the value of a parameter that a call leaves out.
func (b *Binder) routineDefault(text string, to types.T) (expr.Expr, error) {
	tree, err := parser.Expression(text)
	if err != nil {
		return nil, err
	}
	e, err := b.Over(NewScope(), nil, RoutineDefault).Expr(tree)
	if err != nil {
		return nil, InStored(err)
	}
	out, ok, err := b.Coerce(e, to, types.Assignment, 0)
	if err == nil && !ok {
		return e, nil
	}
	return out, err
}

// RoutineDefault is the clause of the defaults of parameters.
const RoutineDefault = "DEFAULT expressions"

// routines are the functions of the catalog that a name means: those of schemas that come before pg_catalog on the
// search path, and the others. In expressions that are stored, which have no path, those of all schemas are found.
// Functions of temporary schemas are named with them.
func (n *Names) routines(schema, name string) (first, last []*expr.Function) {
	return n.routinesOf("function", schema, name)
}

// Aggregates are the aggregates of the catalog that a name means, as routines.
func (n *Names) Aggregates(schema, name string) []*expr.Function {
	first, last := n.routinesOf("aggregate", schema, name)
	return append(first, last...)
}

// Procedures are the procedures that a name means. They have a parameter for what they give out, too.
func (n *Names) Procedures(schema, name string) []*expr.Function {
	first, last := n.routinesOf("procedure", schema, name)
	return append(first, last...)
}

// pathOf are the schemas in which a name is looked for that has a schema, or none. Without a search path they are all.
func pathOf(n *Names, schema string) (path []string) {
	switch {
	case schema == ast.TemporarySchema:
		return []string{n.Temporary}
	case schema != "":
		return []string{schema}
	case n.SearchPath != nil:
		return n.SearchPath
	}
	for _, s := range n.Catalog.Schemas() {
		path = append(path, s.Name)
	}
	return path
}

func (n *Names) routinesOf(kind catalog.Kind, schema, name string) (first, last []*expr.Function) {
	if n.Catalog == nil || !n.Catalog.HasFunctions() {
		return nil, nil
	}
	if schema == "" {
		for _, id := range stoodFor(n, types.OIDRegproc, name) {
			if f, ok := n.Catalog.ByID(id).(*catalog.Function); ok && f.Kind() == kind {
				first = append(first, routine.Function(f))
			}
		}
	}
	if first != nil {
		return first, nil
	}
	path := pathOf(n, schema)
	system := slices.Index(path, catalog.PgCatalogName)
	for i, in := range path {
		if schema == "" && strings.HasPrefix(in, catalog.TemporaryPrefix) {
			continue
		}
		for _, f := range n.Catalog.FunctionsNamed(in, name) {
			switch {
			case f.Kind() != kind:
			case i < system && n.SearchPath != nil:
				first = append(first, routine.Function(f))
			default:
				last = append(last, routine.Function(f))
			}
		}
	}
	return first, last
}
