package bind

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// arguments are what a call gives.
type arguments struct {
	list     []expr.Expr
	names    []string // parallel to list, "" where the notation is positional; nil: all
	variadic bool     // the last one is an array of the rest
	schema   string   // as the call names it, for errors
}

// candidate is one overload of a function as a call would use it.
type candidate struct {
	signature
	fn       *expr.Function
	places   []int // of each parameter: its place in the call, -1 for its default; nil: as given
	expanded bool  // the last parameter stands for several arguments
	spread   bool  // the last argument is an array of them
}

// functionOf makes a call of the overload that suits the arguments.
func (b *Binder) functionOf(e *ast.Call, args arguments) (expr.Expr, error) {
	name, pos := e.Name, e.Pos
	c, ambiguous := chooseFunction(expr.FunctionsIn(e.Schema, e.Name), args)
	switch {
	case ambiguous:
		return nil, sqlerr.New(sqlerr.AmbiguousFunction, "function %s is not unique", args.of(name)).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(int(pos))
	case c != nil:
		return b.call(c, args.list, pos)
	}
	if to, ok := castCall(e.Name, args); ok && (e.Schema == "" || e.Schema == catalog.PgCatalogName) {
		return b.Explicit(args.list[0], to, pos)
	}
	if c, _ := chooseFunction(expr.Listed(e.Schema, e.Name), args); c != nil {
		return b.call(c, args.list, pos)
	}
	return nil, noFunction(name, args, pos)
}

// castCall says whether a call is a cast that is written as one: float8(x).
func castCall(name string, args arguments) (to types.T, ok bool) {
	info, known := types.Lookup(name)
	if !known || info.Name != name || len(args.list) != 1 || args.names != nil || args.variadic {
		return to, false
	}
	_, ok = types.FindCast(args.list[0].Type().OID, info.OID)
	return types.Of(info.OID), ok
}

func noFunction(name string, args arguments, pos ast.Pos) error {
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", args.of(name)).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(int(pos))
}

// of is a call of a function with the types of the arguments, for errors.
func (a arguments) of(name string) string {
	if a.schema != "" {
		name = a.schema + "." + name
	}
	return name + "(" + a.String() + ")"
}

// String is the types of the arguments, for errors.
func (a arguments) String() string {
	parts := make([]string, len(a.list))
	for i, arg := range a.list {
		if a.names != nil && a.names[i] != "" {
			parts[i] = a.names[i] + " => "
		}
		parts[i] += arg.Type().Bare().String()
	}
	return strings.Join(parts, ", ")
}

// chooseFunction is the overload that suits the arguments best; nil for none.
func chooseFunction(all []*expr.Function, args arguments) (c *candidate, ambiguous bool) {
	var found []*candidate
	for _, f := range all {
		if c, ok := candidateOf(f, args); ok {
			found = append(found, c)
		}
	}
	found = distinct(found)
	lists := make([][]types.OID, len(found))
	for i, c := range found {
		lists[i] = c.args
	}
	i, ambiguous := overload(typesOf(args.list), lists)
	if i < 0 {
		return nil, ambiguous
	}
	return found[i], false
}

// distinct leaves one of the candidates that take the same types: the one that does not
// have to be expanded, or that needs fewer defaults.
func distinct(all []*candidate) []*candidate {
	rank := func(c *candidate) int {
		n := 0
		for _, place := range c.places {
			if place < 0 {
				n++
			}
		}
		if c.expanded {
			n += 1000
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return rank(a) - rank(b) })
	var out []*candidate
	for _, c := range all {
		if !slices.ContainsFunc(out, func(d *candidate) bool { return slices.Equal(c.args, d.args) }) {
			out = append(out, c)
		}
	}
	return out
}

// candidateOf fits an overload to the number and the names of the arguments.
func candidateOf(f *expr.Function, args arguments) (*candidate, bool) {
	c := &candidate{fn: f, signature: signature{result: f.Result}, spread: args.variadic}
	given := len(args.list)
	switch {
	case args.variadic && (!f.Variadic || given != len(f.Args)):
		return nil, false
	case f.Variadic && !args.variadic && given > len(f.Args):
		c.expanded = true
	case given > len(f.Args) || given < len(f.Args)-len(f.Defaults):
		return nil, false
	}
	if !c.arrange(args) {
		return nil, false
	}
	for i := range given {
		at := min(i, len(f.Args)-1)
		if c.places != nil {
			at = slices.Index(c.places, i)
		}
		c.args = append(c.args, c.declared(at, i == given-1))
	}
	return c, true
}

// declared is the type that an argument for a parameter must have.
func (c *candidate) declared(at int, last bool) types.OID {
	f := c.fn
	repeats := f.Variadic && at == len(f.Args)-1
	oid := f.Args[at]
	if f.AnyArgs && (repeats || !f.Variadic) {
		oid = types.OIDAny
	}
	if !c.spread || !last {
		return oid
	}
	switch oid {
	case types.OIDAny:
		return oid // call sees to it that it is an array
	case types.OIDAnyElement:
		return types.OIDAnyArray
	case types.OIDAnyCompatible:
		return types.OIDAnyCompatibleArray
	}
	return types.InfoOf(oid).Array
}

// arrange finds the place of every parameter, if the call needs more than its own order.
func (c *candidate) arrange(args arguments) bool {
	f := c.fn
	if args.names == nil && len(args.list) >= len(f.Args) {
		return true
	}
	c.places = slices.Repeat([]int{-1}, len(f.Args))
	for i := range args.list {
		at := i
		if args.names != nil && args.names[i] != "" {
			at = slices.Index(f.Params, args.names[i])
		}
		if at < 0 || at >= len(f.Args) || c.places[at] >= 0 {
			return false
		}
		c.places[at] = i
	}
	for at, place := range c.places {
		if place < 0 && at < len(f.Args)-len(f.Defaults) {
			return false
		}
	}
	return true
}

// call coerces the arguments of a chosen function.
func (b *Binder) call(c *candidate, args []expr.Expr, pos ast.Pos) (expr.Expr, error) {
	if c.spread {
		if _, ok := types.ElementOf(args[len(args)-1].Type()); !ok && c.args[len(args)-1] == types.OIDAny {
			return nil, sqlerr.New(sqlerr.DatatypeMismatch, "VARIADIC argument must be an array").At(int(pos))
		}
	}
	s, err := c.resolve(typesOf(args))
	if err != nil {
		return nil, err
	}
	out, err := b.coerceAll(args, s.args, pos)
	if err != nil {
		return nil, err
	}
	for i := range out {
		switch {
		case !c.fn.AnyArgs:
		case c.spread && i == len(out)-1:
			out[i] = expr.OutputTexts(out[i])
		case c.fn.Args[min(i, len(c.fn.Args)-1)] == types.OIDAnyElement: // a cast, which prints a bool otherwise
			if out[i], err = b.Explicit(out[i], types.Text, pos); err != nil {
				return nil, err
			}
		default:
			out[i] = expr.OutputText(out[i])
		}
	}
	if out, err = b.inPlaces(c, out, s.args); err != nil {
		return nil, err
	}
	fn := c.fn
	if c.spread {
		fn = expr.Spread(fn)
	}
	made := expr.Call{Fn: fn, Args: out, T: b.typeOf(s.result)}
	if fn.Rows != nil && fn.RowsAs != nil && made.T.Row != nil {
		made = made.As(made.T.Row)
	}
	return made, nil
}

// coerceAll coerces arguments to their declared types. An unknown stays one for "any",
// but a parameter must be something.
func (b *Binder) coerceAll(args []expr.Expr, declared []types.OID, pos ast.Pos) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(args))
	for i, a := range args {
		to := b.typeOf(declared[i])
		if to.OID == types.OIDAny {
			if _, literal := a.(expr.Const); literal {
				out[i] = a
				continue
			}
			if to = a.Type(); to.OID == types.OIDUnknown {
				to = types.Text
			}
		}
		e, err := b.must(a, to, pos, func() error {
			return sqlerr.New(sqlerr.CannotCoerce, "cannot cast type %s to %s", a.Type(), to).At(int(pos))
		})
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// inPlaces puts arguments in the order of the parameters, with defaults for those that
// were left out.
func (b *Binder) inPlaces(c *candidate, args []expr.Expr, declared []types.OID) ([]expr.Expr, error) {
	if c.places == nil {
		return args, nil
	}
	out := make([]expr.Expr, len(c.places))
	for i, place := range c.places {
		if place >= 0 {
			out[i] = args[place]
			continue
		}
		t := types.Of(c.fn.Args[i])
		value := types.Null
		if text := c.fn.Defaults[i-len(c.fn.Args)+len(c.fn.Defaults)]; !strings.EqualFold(text, "NULL") {
			var err error
			if value, err = types.ParseText(strings.Trim(text, "'"), t, b.Env); err != nil {
				return nil, err
			}
		}
		out[i] = expr.Const{Value: value, T: t}
	}
	return out, nil
}
