package bind

import (
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	texts "zproxy/expr/builtin/text"
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

// functionOf makes a call of the overload that suits the arguments.
func (b *Binder) functionOf(e *ast.Call, args arguments) (expr.Expr, error) {
	name, pos := e.Name, e.Pos
	c, ambiguous := chooseFunction(builtin.FunctionsIn(e.Schema, e.Name), args)
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
	if c, _ := chooseFunction(builtin.Listed(e.Schema, e.Name), args); c != nil {
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
func chooseFunction(all []*expr.Function, args arguments) (c *chosen, ambiguous bool) {
	shapes := make([]Shape, len(all))
	for i, f := range all {
		shapes[i] = Shape{
			Signature: Signature{f.Args, f.Result}, Params: f.Params, Defaults: len(f.Defaults), Variadic: f.Variadic, Any: f.AnyArgs,
		}
	}
	given := Given{Types: typesOf(args.list), Names: args.names, Variadic: args.variadic}
	best, ambiguous := Choose(shapes, given)
	if best == nil {
		return nil, ambiguous
	}
	return &chosen{best, all[best.Of]}, false
}

// chosen is a function and how a call uses it.
type chosen struct {
	*Candidate
	fn *expr.Function
}

// call coerces the arguments of a chosen function.
func (b *Binder) call(c *chosen, args []expr.Expr, pos ast.Pos) (expr.Expr, error) {
	if c.spread {
		if _, ok := types.ElementOf(args[len(args)-1].Type()); !ok && c.Args[len(args)-1] == types.OIDAny {
			return nil, sqlerr.New(sqlerr.DatatypeMismatch, "VARIADIC argument must be an array").At(int(pos))
		}
	}
	s, err := c.Resolve(typesOf(args))
	if err != nil {
		return nil, err
	}
	out, err := b.coerceAll(args, s.Args, pos)
	if err != nil {
		return nil, err
	}
	for i := range out {
		switch {
		case !c.fn.AnyArgs:
		case c.spread && i == len(out)-1:
			out[i] = texts.OutputTexts(out[i])
		case c.fn.Args[min(i, len(c.fn.Args)-1)] == types.OIDAnyElement: // a cast, which prints a bool otherwise
			if out[i], err = b.Explicit(out[i], types.Text, pos); err != nil {
				return nil, err
			}
		default:
			out[i] = texts.OutputText(out[i])
		}
	}
	if out, err = b.inPlaces(c, out, s.Args); err != nil {
		return nil, err
	}
	fn := c.fn
	if c.spread {
		fn = expr.Spread(fn)
	}
	made := expr.Call{Fn: fn, Args: out, T: b.Typed(s.Result)}
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
		to := b.Typed(declared[i])
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
func (b *Binder) inPlaces(c *chosen, args []expr.Expr, declared []types.OID) ([]expr.Expr, error) {
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
