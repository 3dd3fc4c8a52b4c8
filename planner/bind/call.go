package bind

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	texts "zproxy/expr/builtin/text"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/collate"
	"zproxy/types"
)

// Call implements analyze.Caster.
func (b caster) Call(c analyze.Call[expr.Expr]) (expr.Expr, error) {
	fn, args := c.Fn, c.Args
	if fn.Routine != nil {
		return b.routineCall(c)
	}
	if fn.AnyArgs {
		if err := b.printed(c); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Ordinals != nil {
		if args, err = b.byParameter(c); err != nil {
			return nil, err
		}
	}
	if c.Spread {
		fn = expr.Spread(fn)
	}
	args, in, err := collate.Inputs(b.Catalog, fn, args)
	if err != nil {
		return nil, err
	}
	made := expr.Call{Fn: fn, Args: args, T: c.T}
	if fn.RowsAs != nil && len(args) > 0 && args[0].Type().IsDomain() { // over rows
		made.T = args[0].Type()
	}
	if fn.Rows != nil && fn.RowsAs != nil && made.T.Def != nil {
		return b.As(made, made.T.Def)
	}
	if len(args) > 0 && args[0].Type().Range() != nil { // whose bounds meet the rules of domains
		return made, nil
	}
	if rules, err := b.rules(made.T); fn.Rows == nil && rules != nil || err != nil { // what it has read itself
		return expr.Constrained{Arg: made, To: made.T, Rules: rules}, err
	}
	return collate.Output(made, in), nil
}

// As is a call of a function that returns rows as one that returns those of a type, which meet the constraints of the
// domains in it.
func (b *Binder) As(call expr.Call, row *types.Definition) (expr.Call, error) {
	out := call.As(row)
	rules, err := b.rules(out.T)
	if err == nil && rules != nil {
		fn := *out.Fn
		fn.Rows = rules.Rows(fn.Rows, row)
		out.Fn = &fn
	}
	return out, err
}

// CallType implements analyze.Caster.
func (b caster) CallType(e *ast.Call, arg expr.Expr, to types.T) (expr.Expr, error) {
	return b.Explicit(arg, to, e.Pos)
}

// printed makes texts of the arguments of a function that takes any.
func (b *Binder) printed(c analyze.Call[expr.Expr]) (err error) {
	declared, args := c.Fn.Args, c.Args
	for i := range args {
		switch {
		case c.Spread && i == len(args)-1:
			args[i] = texts.OutputTexts(args[i])
		case declared[min(i, len(declared)-1)] == types.OIDAnyElement: // a cast, which prints a bool otherwise
			if args[i], err = b.Explicit(args[i], types.Text, c.Pos); err != nil {
				return err
			}
		default:
			args[i] = texts.OutputText(args[i])
		}
	}
	return nil
}

// byParameter puts arguments in the order of the parameters, with defaults for those that
// were left out.
func (b *Binder) byParameter(c analyze.Call[expr.Expr]) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(c.Ordinals))
	for i, ordinal := range c.Ordinals {
		if ordinal >= 0 {
			out[i] = c.Args[ordinal]
			continue
		}
		t := types.Of(c.Fn.Args[i])
		value, text := types.Null, c.Fn.Defaults[i-len(c.Fn.Args)+len(c.Fn.Defaults)]
		if f, ok := c.Fn.Routine.(*catalog.Function); ok {
			var err error
			if out[i], err = b.routineDefault(text, routine.Parameters(f)[i].Type); err != nil {
				return nil, err
			}
			continue
		}
		if !strings.EqualFold(text, "NULL") {
			var err error
			if value, err = types.ParseText(strings.Trim(text, "'"), t, b.Env); err != nil {
				return nil, err
			}
		}
		out[i] = expr.Const{Value: value, T: t}
	}
	return out, nil
}
