package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/planner/sqlbody"
	"zproxy/plpgsql"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Routines makes functions, procedures and aggregates.
type Routines struct{ Builder }

// Routine makes the function that a CREATE FUNCTION or PROCEDURE describes, in a schema, without a number.
func (b Routines) Routine(tree *ast.CreateRoutine, schema string) (*catalog.Function, error) {
	r := routineBuilder{b.Builder, tree, &catalog.Function{Version: 1, Schema: schema, Name: tree.Name.Name,
		Procedure: tree.Procedure}}
	for _, step := range []func() error{r.language, r.params, r.result, r.traits, r.keepBody} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r.f, nil
}

type routineBuilder struct {
	Builder
	tree *ast.CreateRoutine
	f    *catalog.Function
}

func invalid(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidFunctionDefinition, format, args...)
}

func (r routineBuilder) language() error {
	switch {
	case r.tree.Language != nil:
		r.f.Language = strings.ToLower(*r.tree.Language)
	case r.tree.Statements:
		r.f.Language = routine.SQL
	case !r.tree.HasBody:
		return invalid("no function body specified")
	default:
		return invalid("no language specified")
	}
	switch r.f.Language {
	case routine.SQL, routine.PLpgSQL, routine.InternalLanguage:
	case "c": // there are no files with functions
		return sqlerr.New(sqlerr.UndefinedFile, "could not access file \"%s\": No such file or directory", r.tree.Body)
	default:
		return sqlerr.New(sqlerr.UndefinedObject, "language \"%s\" does not exist", *r.tree.Language)
	}
	if !r.tree.HasBody {
		return invalid("no function body specified")
	}
	if r.tree.Symbol {
		return invalid("only one AS item needed for language \"%s\"", r.f.Language)
	}
	if r.tree.Statements && r.f.Language != routine.SQL {
		return invalid("inline SQL function body only valid for language SQL")
	}
	return nil
}

func (r routineBuilder) params() error {
	given := map[string]bool{}
	returned := map[string]bool{}
	variadic, defaults := false, false
	for i := range r.tree.Params {
		p := &r.tree.Params[i]
		out := catalog.Param{Name: p.Name, Mode: string(p.Mode)}
		var err error
		if out.Type, err = r.TypeNamed(p.Type.TypeName); err != nil {
			if quoted := "type \"" + p.Type.Name + "\" does not exist"; sqlerr.From(err).Message == quoted {
				err = sqlerr.New(sqlerr.UndefinedObject, "type %s does not exist", p.Type.Name)
			}
			return err
		}
		out.Type = stored(out.Type)
		switch {
		case p.Type.Set:
			return invalid("%ss cannot accept set arguments", r.f.Kind())
		case out.Given() && variadic:
			return invalid("VARIADIC parameter must be the last input parameter")
		case out.Mode == "v" && types.InfoOf(out.Type.OID).Element == types.OIDInvalid &&
			out.Type.OID != types.OIDAnyArray && out.Type.OID != types.OIDAnyCompatibleArray &&
			out.Type.OID != types.OIDAny:
			return invalid("VARIADIC parameter must be an array")
		}
		variadic = variadic || out.Mode == "v"
		if p.Name != "" && (out.Given() && given[p.Name] || out.Returned() && returned[p.Name] ||
			(out.Mode == "t" && r.f.Language == routine.PLpgSQL || r.f.Language == "") && given[p.Name]) {
			return invalid("parameter name %q used more than once", p.Name)
		}
		given[p.Name], returned[p.Name] = given[p.Name] || out.Given(), returned[p.Name] || out.Returned()
		if err := r.paramDefault(p, &out, &defaults); err != nil {
			return err
		}
		if err := r.pseudo(out.Type, true); err != nil {
			return err
		}
		r.f.Params = append(r.f.Params, out)
	}
	return nil
}

// stored is a type as the catalog keeps it: its rows are looked up anew.
func stored(t types.T) types.T {
	t = t.Bare()
	t.Def = nil
	return t
}

func (r routineBuilder) paramDefault(p *ast.RoutineParam, out *catalog.Param, defaults *bool) error {
	if p.Default == nil {
		if *defaults && out.Given() {
			return invalid("input parameters after one with a default value must also have defaults")
		}
		return nil
	}
	if !out.Given() {
		return invalid("only input parameters can have default values")
	}
	*defaults = true
	out.Default = p.DefaultText
	if routine.IsPolymorphic(out.Type.OID) {
		return nil
	}
	e, err := r.Over(bind.NewScope(), r.Planner, bind.RoutineDefault).Expr(p.Default)
	if err != nil {
		return err
	}
	from := e.Type()
	if _, ok, err := r.Coerce(e, r.Typed(out.Type.Number()), types.Assignment, 0); err != nil || ok {
		return err
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, "argument of DEFAULT must be type %s, not type %s", out.Type, from)
}

// pseudo refuses types that functions of a language cannot have.
func (r routineBuilder) pseudo(t types.T, param bool) error {
	if types.InfoOf(t.OID).Category != types.CategoryPseudo || routine.IsPolymorphic(t.OID) ||
		r.f.Language == routine.InternalLanguage {
		return nil
	}
	name := types.InfoOf(t.OID).Name
	switch {
	case param && r.f.Language == routine.PLpgSQL && t.OID == types.OIDRecord, !param && t.OID == types.OIDRecord,
		!param && t.OID == types.OIDVoid:
		return nil
	case !param && name == "trigger" && r.f.Language == routine.PLpgSQL:
		return nil
	case param && r.f.Language == routine.SQL:
		return invalid("SQL functions cannot have arguments of type %s", t)
	case r.f.Language == routine.SQL:
		return invalid("SQL functions cannot return type %s", t)
	case param:
		return sqlerr.New(sqlerr.FeatureNotSupported, "PL/pgSQL functions cannot accept type %s", t)
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "PL/pgSQL functions cannot return type %s", t)
}

// result finds what the function returns, which its parameters may say.
func (r routineBuilder) result() error {
	f, outputs := r.f, r.f.Outputs()
	byOutputs := types.T{OID: types.OIDRecord, Mod: -1}
	if len(outputs) == 1 && !f.Procedure {
		byOutputs = outputs[0].Type
	}
	table := slices.ContainsFunc(f.Params, func(p catalog.Param) bool { return p.Mode == "t" })
	switch {
	case f.Procedure && len(outputs) == 0:
		f.Result = types.T{OID: types.OIDVoid, Mod: -1}
	case f.Procedure:
		f.Result = types.T{OID: types.OIDRecord, Mod: -1}
	case table:
		f.Result, f.Set = byOutputs, true
	case r.tree.Returns != nil:
		t, err := r.TypeNamed(r.tree.Returns.TypeName)
		if err != nil {
			return err
		}
		f.Result, f.Set = stored(t), r.tree.Returns.Set
		if len(outputs) > 0 && f.Result.Number() != byOutputs.Number() {
			return invalid("function result type must be %s because of OUT parameters", byOutputs)
		}
	case len(outputs) > 0:
		f.Result = byOutputs
	default:
		return invalid("function result type must be specified")
	}
	results := []types.T{f.Result}
	for _, p := range outputs {
		results = append(results, p.Type)
	}
	for _, t := range results {
		if err := determined(t, f.ArgTypes()); err != nil {
			return err
		}
	}
	return r.pseudo(f.Result, false)
}

func (r routineBuilder) traits() error {
	t := &r.f.FunctionTraits
	*t = catalog.FunctionTraits{Volatility: "v", Parallel: "u", Cost: 100}
	if r.f.Language == routine.InternalLanguage {
		t.Cost = 1
	}
	if r.f.Set {
		t.Rows = 1000
	}
	return Traits(r.f, &r.tree.RoutineOptions)
}

// Traits gives a function what CREATE or ALTER says of it.
func Traits(f *catalog.Function, o *ast.RoutineOptions) error {
	t := &f.FunctionTraits
	if f.Procedure && (o.Volatility != nil || o.Strict != nil || o.Leakproof != nil || o.Cost != nil || o.Rows != nil ||
		o.Parallel != nil) {
		return invalid("invalid attribute in procedure definition")
	}
	flags := []struct {
		to   *bool
		from *bool
	}{{&t.Strict, o.Strict}, {&t.Definer, o.Definer}, {&t.Leakproof, o.Leakproof}}
	for _, flag := range flags {
		if flag.from != nil {
			*flag.to = *flag.from
		}
	}
	if o.Volatility != nil {
		t.Volatility = (*o.Volatility)[:1]
	}
	if o.Parallel != nil {
		word := strings.ToLower(*o.Parallel)
		if word != "safe" && word != "restricted" && word != "unsafe" {
			return sqlerr.New(sqlerr.SyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE")
		}
		t.Parallel = word[:1]
	}
	if o.Cost != nil {
		if t.Cost = *o.Cost; t.Cost <= 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "COST must be positive")
		}
	}
	if o.Rows != nil {
		if t.Rows = *o.Rows; t.Rows <= 0 {
			return sqlerr.New(sqlerr.InvalidParameterValue, "ROWS must be positive")
		}
		if !f.Set {
			return sqlerr.New(sqlerr.InvalidParameterValue,
				"ROWS is not applicable when function does not return a set")
		}
	}
	return nil
}

func (r routineBuilder) keepBody() error {
	f := r.f
	if f.Body, f.Statements = r.tree.Body, r.tree.Statements; f.Statements {
		f.Path, f.Read = slices.Clone(r.SearchPath), r.Written()
	}
	return nil
}

// CheckBody checks what can be checked of the body of a function that has its number, and may call itself. It notes
// what statements in SQL's own syntax use.
func (b Routines) CheckBody(tree *ast.CreateRoutine, f *catalog.Function) error {
	r := routineBuilder{b.Builder, tree, f}
	r.Catalog = r.Catalog.With(f)
	if f.Statements {
		r.Uses = &f.Uses
		defer func() { r.Uses = nil }()
	}
	switch f.Language {
	case routine.InternalLanguage:
		return routine.CheckInternal(f)
	case routine.PLpgSQL:
		var params []string
		for _, p := range f.Params {
			params = append(params, p.Name)
		}
		if types.InfoOf(f.Result.OID).Name == "trigger" {
			_, err := plpgsql.ParseTrigger(f.Name, f.Body)
			return r.located(err)
		}
		_, err := plpgsql.Parse(f.Name, f.Body, params)
		return r.located(err)
	}
	if routine.Polymorphic(f) {
		_, err := sqlbody.Parse(f)
		return r.located(err)
	}
	return r.located(r.checkStatements())
}

// located is an error about the body, at its position in the statement where that is known.
func (r routineBuilder) located(err error) error {
	if err == nil {
		return nil
	}
	e := *sqlerr.From(err)
	if e.Position != 0 && r.tree.BodyPos >= 0 {
		e.Position += int(r.tree.BodyPos)
		return &e
	}
	e.Position = 0
	if r.f.Language == routine.SQL {
		e.Where = "SQL function \"" + r.f.Name + "\""
	}
	return &e
}

// checkStatements plans the statements of a body in SQL.
func (r routineBuilder) checkStatements() error {
	f := r.f
	list, err := sqlbody.Parse(f)
	if err != nil {
		return err
	}
	var of []types.T
	for _, p := range f.Inputs() {
		of = append(of, r.Typed(p.Type.Number()))
	}
	r.Variables = sqlbody.ParametersOf(f, of)
	defer func() { r.Variables = nil }()
	var last ast.Statement
	var cols []plan.Column
	for i := range list {
		last, cols = list[i].Statement, nil
		switch s := last.(type) {
		case *ast.Select, *ast.Insert, *ast.Update, *ast.Delete, *ast.Merge:
			n, err := r.Plan(s)
			if err != nil {
				return err
			}
			cols = n.Columns()
		}
	}
	_, err = sqlbody.CheckResult(f, r.Typed(f.Result.Number()), last, cols)
	return err
}
