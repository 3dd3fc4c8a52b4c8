// Package routine says what a function of the catalog is to those who call it and to those who list functions: an
// overload that resolution chooses among the built-in ones, and a row of pg_proc. What the function does is run by the
// session, which an expression reaches through its context. Read Function and Proc first.
package routine

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/pgproc"
	"zproxy/sqlerr"
	"zproxy/types"
)

// The languages, and their numbers in pg_language.
const (
	SQL     = "sql"
	PLpgSQL = "plpgsql"
	// InternalLanguage is that of aggregates, and of functions that are built in under another name.
	InternalLanguage = "internal"

	sqlNumber     = 14
	plpgsqlNumber = pgproc.PLpgSQLLanguage
)

var volatilities = map[string]expr.Volatility{"i": expr.Immutable, "s": expr.Stable, "v": expr.Volatile}

// Function is a function as a call sees it.
func Function(f *catalog.Function) *expr.Function {
	out := &expr.Function{
		Name: f.Name, Schema: f.Schema, Result: f.Result.Number(), OID: f.ID, Doc: f.Comment, NotStrict: !f.Strict,
		Volatility: volatilities[f.Volatility], Routine: f,
	}
	named := false
	for _, p := range Parameters(f) {
		oid := p.Type.OID
		if p.Mode == "v" {
			out.Variadic, oid = true, element(oid)
		}
		out.Args, out.Params, named = append(out.Args, oid), append(out.Params, p.Name), named || p.Name != ""
		if p.Default != "" {
			out.Defaults = append(out.Defaults, p.Default)
		}
	}
	if !named {
		out.Params = nil
	}
	if outputs := f.Outputs(); len(outputs) > 1 || len(outputs) == 1 && !f.Procedure {
		for _, p := range outputs {
			out.Out = append(out.Out, expr.OutColumn{Name: p.Name, Type: p.Type.OID})
		}
	}
	if f.Set { // so that it is known as such
		out.Rows = func(*expr.Context, []types.Value) expr.Set { return nil }
	}
	return out
}

// Parameters are those for which a call has arguments: of a procedure also those that are only given out.
func Parameters(f *catalog.Function) []catalog.Param {
	if f.Procedure {
		return f.Params
	}
	return f.Inputs()
}

// element is the type of the elements of a VARIADIC parameter.
func element(array types.OID) types.OID {
	switch array {
	case types.OIDAnyArray:
		return types.OIDAnyElement
	case types.OIDAnyCompatibleArray:
		return types.OIDAnyCompatible
	}
	return types.InfoOf(array).Element
}

// Run is a function whose calls, with what is known of them but for the values, run what the context reaches.
func Run(fn *expr.Function, known expr.RoutineCall) *expr.Function {
	out, f := *fn, fn.Routine.(*catalog.Function)
	call := func(args []types.Value, row *types.Definition) expr.RoutineCall {
		c := known
		if c.Args = args; row != nil {
			c.Row = row
		}
		return c
	}
	if f.Result.OID == types.OIDRecord && out.Out == nil {
		out.RowsAs = func(row *types.Definition) func(*expr.Context, []types.Value) expr.Set {
			return func(c *expr.Context, args []types.Value) expr.Set { return rowsOf(c, call(args, row)) }
		}
	}
	if f.Set {
		out.Rows = func(c *expr.Context, args []types.Value) expr.Set { return rowsOf(c, call(args, nil)) }
		return &out
	}
	out.FnN = func(c *expr.Context, args []types.Value) (types.Value, error) {
		switch {
		case c.Routines != nil:
		case f.Language == InternalLanguage:
			return single(c, call(args, nil))
		default:
			return types.Null, outside(f)
		}
		return c.Routines.Value(c, call(args, nil))
	}
	return &out
}

func rowsOf(c *expr.Context, call expr.RoutineCall) expr.Set {
	if c.Routines == nil {
		return func(yield func(types.Row, error) bool) { yield(nil, outside(call.Of.(*catalog.Function))) }
	}
	return c.Routines.Rows(c, call)
}

// outside refuses a call by work in the background, which has no session that could run it.
func outside(f *catalog.Function) error {
	return sqlerr.Unsupported("calling function \"%s\" outside of a session", f.Name)
}

// Proc is the row of pg_proc of a function. Types are printed by a function.
func Proc(f *catalog.Function, printed func(types.T) string) *pgproc.Proc {
	p := &pgproc.Proc{OID: f.ID, Schema: f.Schema, Name: f.Name, Kind: 'f', Comment: f.Comment}
	switch {
	case f.Procedure:
		p.Kind = 'p'
	case f.Aggregate != nil:
		p.Kind = 'a'
	}
	p.Args, p.Result = f.ArgTypes(), f.Result.Number()
	p.Traits = pgproc.Traits{
		Volatility: f.Volatility[0], Strict: f.Strict, ReturnsSet: f.Set, Leakproof: f.Leakproof, Parallel: f.Parallel[0],
		Cost: f.Cost, Rows: f.Rows, Definer: f.Definer, Settings: f.Settings,
	}
	p.Definition = pgproc.Definition{Language: sqlNumber, Source: f.Body}
	switch f.Language {
	case PLpgSQL:
		p.Language = plpgsqlNumber
	case InternalLanguage:
		p.Language = pgproc.InternalLanguage
	}
	if f.Statements {
		p.Source, p.Body = "", statements(f.Body)
	}
	signature(p, f, printed)
	return p
}

// statements is a body in SQL's own syntax.
func statements(body string) string {
	lines := strings.Split(body, ";\n")
	if rest, ok := strings.CutPrefix(body, "SELECT "); ok && len(lines) == 1 && !strings.Contains(rest, " FROM ") {
		return "RETURN " + rest
	}
	return "BEGIN ATOMIC\n " + strings.Join(lines, ";\n ") + ";\nEND"
}

func signature(p *pgproc.Proc, f *catalog.Function, printed func(types.T) string) {
	plain, named := true, false
	var all, identity, table []string
	for _, arg := range f.Params {
		plain, named = plain && arg.Mode == "i", named || arg.Name != ""
		if arg.Mode == "v" {
			p.Variadic = element(arg.Type.OID)
			if arg.Type.OID == types.OIDAnyArray {
				p.Variadic = types.OIDAnyElement
			}
		}
		if arg.Default != "" {
			p.Defaults = append(p.Defaults, arg.Default)
		}
		text := parameter(arg, printed)
		if arg.Mode == "t" {
			table = append(table, text)
			continue
		}
		identity = append(identity, text)
		if arg.Default != "" {
			text += " DEFAULT " + arg.Default
		}
		all = append(all, text)
	}
	for _, arg := range f.Params {
		if named {
			p.ArgNames = append(p.ArgNames, arg.Name)
		}
		if !plain {
			p.ArgModes, p.AllArgs = p.ArgModes+arg.Mode, append(p.AllArgs, arg.Type.Number())
		}
	}
	p.Arguments, p.Identity = strings.Join(all, ", "), strings.Join(identity, ", ")
	switch {
	case f.Procedure:
	case table != nil:
		p.ResultText = "TABLE(" + strings.Join(table, ", ") + ")"
	default:
		p.ResultText = printed(f.Result)
		if f.Set {
			p.ResultText = "SETOF " + p.ResultText
		}
	}
}

var modeWords = map[string]string{"o": "OUT ", "b": "INOUT ", "v": "VARIADIC "}

func parameter(p catalog.Param, printed func(types.T) string) string {
	text := modeWords[p.Mode]
	if p.Name != "" {
		text += expr.QuoteIdent(p.Name) + " "
	}
	return text + printed(p.Type)
}

// ResultRow is the fields of what a function with several results returns, nil where it returns one value.
func ResultRow(f *catalog.Function) *types.Definition {
	outputs := f.Outputs()
	if len(outputs) < 2 && !(f.Procedure && len(outputs) == 1) {
		return nil
	}
	row := &types.Definition{}
	for _, p := range outputs {
		row.Names, row.Types = append(row.Names, p.Name), append(row.Types, p.Type.Bare())
	}
	return row
}

// Polymorphic says whether the types of a function's parameters depend on its calls.
func Polymorphic(f *catalog.Function) bool {
	return slices.ContainsFunc(f.Params, func(p catalog.Param) bool { return IsPolymorphic(p.Type.OID) })
}

// IsPolymorphic says whether a type stands for others.
func IsPolymorphic(oid types.OID) bool {
	switch oid {
	case types.OIDAny, types.OIDAnyElement, types.OIDAnyArray, types.OIDAnyNonArray, types.OIDAnyEnum,
		types.OIDAnyRange, types.OIDAnyMultirange, types.OIDAnyCompatible, types.OIDAnyCompatibleArray,
		types.OIDAnyCompatibleNonArray, types.OIDAnyCompatibleRange, types.OIDAnyCompatibleMultirange:
		return true
	}
	return false
}

// Calls says whether an expression calls the function, or has the operator, with a number. A function that an operator
// calls is not called by the expression.
func Calls(e expr.Expr, id uint32) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Call)
		if ok && c.Fn.Via != nil {
			return c.Fn.Via.OID == id
		}
		return ok && c.Fn.Routine != nil && c.Fn.OID == id
	})
}
