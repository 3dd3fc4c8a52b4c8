package builtin

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/geo"
	"zproxy/expr/builtin/pgproc"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
)

// listedFunctions are the functions of pg_proc that no table has, since SQL has other words for them: those behind
// comparisons and casts, those that read and print the values of types, and those that only other parts of
// PostgreSQL call.
var listedFunctions = indexListed()

// Listed lists the overloads of a name that SQL has other words for. They are asked after those of FunctionsIn.
func Listed(schema, name string) []*expr.Function {
	if pgproc.OwnSchema(schema) != "" {
		return nil
	}
	return listedFunctions[name]
}

// ListedByOID finds a function that SQL has other words for by its number, nil when there is none.
func ListedByOID(oid uint32) *expr.Function {
	p := ProcByOID(oid)
	if p == nil {
		return nil
	}
	at := slices.IndexFunc(listedFunctions[p.Name], func(f *expr.Function) bool { return f.OID == oid })
	if at < 0 {
		return nil
	}
	return listedFunctions[p.Name][at]
}

func indexListed() map[string][]*expr.Function {
	compared := map[uint32]*pgproc.OperatorRow{}
	operators := pgproc.OperatorRows()
	for i, o := range operators {
		if _, ok := orders[o.Name]; ok {
			compared[o.Code] = &operators[i]
		}
	}
	found := map[string][]*expr.Function{}
	for i := range procs.all {
		p := &procs.all[i]
		if p.Kind != 'f' || functionsByOID[p.OID] != nil {
			continue
		}
		f := &expr.Function{
			Name: p.Name, Args: p.Args, Result: p.Result, Doc: p.Comment, NotStrict: !p.Strict,
			Volatility: expr.Volatility(strings.IndexByte("isv", p.Volatility)), OID: p.OID,
		}
		act(f, p, compared[p.OID])
		found[p.Name] = append(found[p.Name], f)
	}
	return found
}

// orders are the comparisons by their signs.
var orders = map[string]func(order int) bool{
	"=":  func(o int) bool { return o == 0 },
	"<>": func(o int) bool { return o != 0 },
	"<":  func(o int) bool { return o < 0 },
	"<=": func(o int) bool { return o <= 0 },
	">":  func(o int) bool { return o > 0 },
	">=": func(o int) bool { return o >= 0 },
}

type typedFunction func(c *expr.Context, of []types.T, args []types.Value) (types.Value, error)

// act gives a function what it does.
func act(f *expr.Function, p *pgproc.Proc, o *pgproc.OperatorRow) {
	first := types.OIDInvalid
	if len(p.Args) > 0 {
		first = p.Args[0]
	}
	switch {
	case o != nil && len(p.Args) == 2:
		f.Typed = comparedBy(o)
	case len(p.Args) == 2 && p.Args[0] == p.Args[1] && p.Args[0] == p.Result && hasSuffix(p.Name, "larger", "smaller"):
		f.Typed = endOf(strings.HasSuffix(p.Name, "larger"))
	case first == types.OIDCstring && !isPseudo(p.Result) && hasSuffix(p.Name, "in"):
		f.Typed = reads(p.Result)
	case len(p.Args) == 1 && p.Result == types.OIDCstring && hasSuffix(p.Name, "out") && first != types.OIDInternal &&
		first != types.OIDInt4 || p.Name == "int4out":
		f.Typed = prints
	case len(p.Args) == 1 && p.Result == types.OIDBytea && hasSuffix(p.Name, "send"):
		f.Typed = sends
	case len(p.Args) > 1 && first == p.Result && p.Args[1] == types.OIDInt4 && p.Name == types.InfoOf(first).Name:
		f.Typed = modifies(p.Result)
	case steps[p.Name] != nil:
		f.Typed = steps[p.Name]
	case byText[p.Name] != nil:
		f.Fn2 = byText[p.Name]
	default:
		f.Typed = onlyNull(f.Name)
	}
}

// byText are those of names for which there is one of texts.
var byText = map[string]expr.Function2{
	"namelike": text.TextLike(true), "namenlike": text.TextLike(false), "nameiclike": text.TextILike(true),
	"nameicnlike": text.TextILike(false),
	"nameregexeq": text.TextRegex("", true), "nameregexne": text.TextRegex("", false), "nameicregexeq": text.TextRegex("i", true),
	"nameicregexne": text.TextRegex("i", false),
	"point_horiz":   geo.CompareCoordinate(1, geo.FuzzyEqual), "point_vert": geo.CompareCoordinate(0, geo.FuzzyEqual),
}

func hasSuffix(name string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(name, end) })
}

func isPseudo(oid types.OID) bool { return types.InfoOf(oid).Category == types.CategoryPseudo }

// onlyNull is what a function does that PostgreSQL calls itself, with arguments that SQL has no values of.
func onlyNull(name string) typedFunction {
	return func(*expr.Context, []types.T, []types.Value) (types.Value, error) {
		return types.Null, sqlerr.New(sqlerr.FeatureNotSupported, "a call of %s by itself is not supported", name).
			WithHint("It is part of an aggregate, a type or an operator.")
	}
}

// comparedBy compares two values, of which one may have to be cast to the type of the other.
func comparedBy(o *pgproc.OperatorRow) typedFunction {
	holds := orders[o.Name]
	return func(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
		a, b := args[0], args[1]
		if a.Kind() != b.Kind() || o.Left != o.Right && a.Kind() == types.KindTimestamp {
			cast, back := o.Right, false
			found, ok := types.FindCast(o.Left, o.Right)
			if !ok || found.Context != types.Implicit {
				found, _ = types.FindCast(o.Right, o.Left)
				cast, back = o.Left, true
			}
			if found.Fn == nil {
				return types.Null, sqlerr.Unsupported("a call of the function behind %s", o.Name)
			}
			var err error
			if back {
				b, err = found.Fn(b, types.Of(cast), c.Env)
			} else {
				a, err = found.Fn(a, types.Of(cast), c.Env)
			}
			if err != nil {
				return types.Null, err
			}
		}
		return types.NewBool(holds(types.Compare(a, b))), nil
	}
}

// endOf is the larger or the smaller one of two values.
func endOf(larger bool) typedFunction {
	return func(_ *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
		if order := types.Compare(args[0], args[1]); larger == (order > 0) || !larger && order == 0 {
			return args[0], nil
		}
		return args[1], nil
	}
}

// reads reads a value of a type, with a modifier where one is given.
func reads(oid types.OID) typedFunction {
	return func(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
		to := types.Of(oid)
		if len(args) == 3 {
			to.Mod = int32(args[2].Int())
		}
		v, err := types.ParseText(args[0].Text(), to, c.Env)
		if err != nil {
			return types.Null, err
		}
		return types.ApplyMod(v, to, false, c.Env)
	}
}

func prints(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	s, err := types.LongText(args[0], of[0], c.Env)
	return types.NewText(s), err
}

func sends(_ *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	return types.NewBytes(types.AppendBinary(nil, args[0], of[0])), nil
}

// modifies makes values obey a modifier, as by a cast where the last argument says so.
func modifies(oid types.OID) typedFunction {
	return func(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
		explicit := len(args) > 2 && args[2].Bool()
		return types.ApplyMod(args[0], types.T{OID: oid, Mod: int32(args[1].Int())}, explicit, c.Env)
	}
}
