package analyze

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Call is a call of a function that was chosen.
type Call[E Typed] struct {
	*Chosen
	Tree *ast.Call // as it is written; nil for an operator
	Args []E       // in the order of the call
	T    types.T
	Pos  ast.Pos
}

// Chosen is a function and how a call uses it.
type Chosen struct {
	*Candidate
	Fn *expr.Function
}

// Called is what a call names and gives, for errors.
type Called struct {
	Schema, Name string
	Types        []types.T
	Names        []string // as in Given
}

// String is a call with the types of the arguments.
func (c Called) String() string {
	name := c.Name
	if c.Schema != "" {
		name = c.Schema + "." + name
	}
	parts := make([]string, len(c.Types))
	for i, t := range c.Types {
		if c.Names != nil && c.Names[i] != "" {
			parts[i] = c.Names[i] + " => "
		}
		parts[i] += t.Bare().String()
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// NoFunction is the error for a call that no function suits.
func (c Called) NoFunction(pos ast.Pos) error {
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", c).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(int(pos))
}

// OIDs are the types of expressions.
func OIDs[E Typed](list []E) []types.OID {
	out := make([]types.OID, len(list))
	for i, e := range list {
		out[i] = e.Type().OID
	}
	return out
}

// Types are the types of expressions, with their modifiers.
func Types[E Typed](list []E) []types.T {
	out := make([]types.T, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}

// Function calls the overload that suits the arguments, or casts where the name is that of a type.
func (c Coercion[E]) Function(e *ast.Call, args []E) (out E, err error) {
	given := Given{Types: Types(args), Names: e.ArgNames, Variadic: e.Variadic, Implicit: c.caster.Implicit}
	called := func() Called { return Called{Schema: e.Schema, Name: e.Name, Types: Types(args), Names: e.ArgNames} }
	all := c.caster.Functions(e.Schema, e.Name)
	if to, ok := readCall(e.Name, all, given); ok {
		return c.caster.CallType(e, args[0], to)
	}
	fn, ambiguous := ChooseFunction(all, given)
	switch {
	case ambiguous:
		return out, sqlerr.New(sqlerr.AmbiguousFunction, "function %s is not unique", called()).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(int(e.Pos))
	case fn != nil:
		return c.Call(Call[E]{Chosen: fn, Tree: e, Args: args, Pos: e.Pos})
	}
	if to, ok := castCall(e.Name, given); ok && (e.Schema == "" || e.Schema == pg.CatalogSchema) {
		return c.caster.CallType(e, args[0], to)
	}
	if fn, _ := ChooseFunction(builtin.Listed(e.Schema, e.Name), given); fn != nil {
		return c.Call(Call[E]{Chosen: fn, Tree: e, Args: args, Pos: e.Pos})
	}
	if fn, _ := ChooseFunction(c.caster.Procedures(e.Schema, e.Name), given); fn != nil {
		return out, sqlerr.New(sqlerr.WrongObjectType, "%s is a procedure", called()).
			WithHint("To call a procedure, use CALL.").At(int(e.Pos))
	}
	return out, called().NoFunction(e.Pos)
}

// HasOperator wants an operator with two operands of the type of an expression.
func (a Analysis[E]) HasOperator(sign string, e E, pos ast.Pos) error {
	_, err := a.make.Operation(sign, []E{e, e}, pos)
	return err
}

// castCall says whether a call is a cast that is written as one: float8(x).
func castCall(name string, given Given) (to types.T, ok bool) {
	info, known := types.Lookup(name)
	if !known || info.Name != name || len(given.Types) != 1 || given.Names != nil || given.Variadic {
		return to, false
	}
	_, ok = types.FindCast(given.Types[0].OID, info.OID)
	return types.Of(info.OID), ok
}

// readCall says whether a call reads a literal as a value of the type of an extension, which has functions of the name.
func readCall(name string, all []*expr.Function, given Given) (to types.T, ok bool) {
	if len(given.Types) != 1 || given.Types[0].OID != types.OIDUnknown || given.Names != nil || given.Variadic {
		return to, false
	}
	for _, f := range all {
		extension, _ := pg.ExtensionOf(f.Schema)
		if info := types.InExtension(extension, name); info != nil {
			return types.Of(info.OID), true
		}
	}
	return to, false
}

// ChooseFunction is the overload that suits what a call gives best; nil for none.
func ChooseFunction(all []*expr.Function, given Given) (c *Chosen, ambiguous bool) {
	shapes := make([]Shape, len(all))
	for i, f := range all {
		shapes[i] = Shape{
			Signature: Signature{f.Args, f.Result}, Params: f.Params, Defaults: len(f.Defaults), Variadic: f.Variadic,
			Any: f.AnyArgs,
		}
	}
	best, ambiguous := Choose(shapes, given)
	if best == nil {
		return nil, ambiguous
	}
	return &Chosen{best, all[best.Of]}, false
}

// Call coerces the arguments of a function that was chosen, and calls it.
func (c Coercion[E]) Call(call Call[E]) (out E, err error) {
	given := Types(call.Args)
	if call.Spread {
		last := len(given) - 1
		if types.InfoOf(given[last].OID).Element == types.OIDInvalid && call.Candidate.Args[last] == types.OIDAny {
			return out, sqlerr.New(sqlerr.DatatypeMismatch, "VARIADIC argument must be an array").At(int(call.Pos))
		}
	}
	s, err := call.Resolve(given)
	if err != nil {
		return out, err
	}
	if call.Args, err = c.Arguments(call.Args, s.Args, call.Pos); err != nil {
		return out, err
	}
	call.T = c.caster.Typed(s.Result)
	return c.caster.Call(call)
}

// call makes a call: of an aggregate, of a window function or of a function.
func (a Analysis[E]) call(e *ast.Call) (out E, err error) {
	if e.Schema != "" && !a.make.HasSchema(e.Schema) {
		return out, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", e.Schema).At(int(e.Pos))
	}
	switch {
	case a.IsAggregate(e), e.Over != nil && ofSystem(e):
		return a.make.Aggregate(e)
	case !ofSystem(e):
	case builtin.Windows(e.Name) != nil:
		return out, sqlerr.New(sqlerr.WrongObjectType, "window function %s requires an OVER clause",
			e.Name).At(int(e.Pos))
	}
	args, err := a.Exprs(e.Args)
	if err != nil {
		return out, err
	}
	made, err := a.Function(e, args)
	if err != nil {
		if len(args) == 1 && e.Schema == "" && e.ArgNames == nil && !e.Variadic && args[0].Type().IsComposite() {
			fields := a.make.FieldsOf(args[0])
			if i := slices.Index(fields.Names, e.Name); i >= 0 {
				return a.make.Field(args[0], i, fields), nil
			}
		}
		return out, err
	}
	if err := onlyAggregates(e); err != nil {
		return out, err
	}
	return a.make.Set(made, e.Pos)
}

// onlyAggregates refuses what is said of a function that is no aggregate.
func onlyAggregates(e *ast.Call) error {
	word := ""
	switch {
	case e.Star:
		word = e.Name + "(*)"
	case e.Distinct:
		word = "DISTINCT"
	case e.OrderBy != nil:
		word = "ORDER BY"
	case e.Within != nil:
		word = "WITHIN GROUP"
	case e.Filter != nil:
		word = "FILTER"
	}
	if word == "" {
		return nil
	}
	return sqlerr.New(sqlerr.WrongObjectType, "%s specified, but %s is not an aggregate function", word,
		e.Name).At(int(e.Pos))
}
