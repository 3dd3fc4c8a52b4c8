package session

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/plan"
	"zproxy/planner/sqlbody"
	"zproxy/plpgsql"
	"zproxy/plpgsql/interpret"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/types"
)

// plRoutine is a function in PL/pgSQL with the plans of its SQL.
type plRoutine struct {
	function *plpgsql.Function
	types    []types.T // of the variables, by their slots
	prepared map[*plpgsql.SQL]*plStatement
}

// plStatement is a text of SQL of a function, planned with variables as parameters.
type plStatement struct {
	st       *Statement
	bindings []plBinding
	simple   []expr.Expr // of an expression that reads nothing
}

// plBinding is the value of a parameter: a variable, or a field of it.
type plBinding struct {
	slot, field int // field: -1 for the variable itself
	t           types.T
}

// plEngine runs the SQL of one call.
type plEngine struct {
	*routines
	of    *plRoutine
	c     *invocation
	given []planner.Given // relations that the SQL of the call may name
}

// runPLpgSQL runs a function in PL/pgSQL.
func (r *routines) runPLpgSQL(c *invocation) error {
	compiled, err := compile(r.Session, c.key(), func() (*plRoutine, error) { return r.compilePLpgSQL(c) })
	if err != nil {
		return err
	}
	result := r.resultOf(c)
	call := &interpret.Call{
		Function: compiled.function, Name: r.nameOf(c), Declared: compiled.types, Args: c.Args, Result: result,
		Set: c.f.Set, Void: c.f.Result.OID == types.OIDVoid, Emit: c.emit,
	}
	for i := range c.f.Params {
		p := &c.f.Params[i]
		if p.Given() {
			call.Inputs = append(call.Inputs, i)
		}
		if p.Returned() {
			call.Outputs = append(call.Outputs, i)
		}
	}
	switch {
	case c.Row != nil:
		call.Row = c.Row
	case result.Def != nil:
		call.Row = result.Def
	}
	if row := routine.ResultRow(c.f); row != nil && c.Row == nil {
		call.Row = row
	}
	return interpret.Run(&plEngine{r, compiled, c, nil}, call)
}

// do runs DO: a function in PL/pgSQL without a name.
func (s utilities) do(ctx context.Context, tree *ast.Do, c Client) error {
	by := s.reach.statement(c)
	if err := by.MayUseLanguage(by.Schema(), strings.ToLower(tree.Language)); err != nil {
		return err
	}
	if !strings.EqualFold(tree.Language, routine.PLpgSQL) {
		if strings.EqualFold(tree.Language, routine.SQL) {
			return sqlerr.New(sqlerr.FeatureNotSupported, "language \"sql\" does not support inline code execution")
		}
		return sqlerr.New(sqlerr.UndefinedObject, "language \"%s\" does not exist", tree.Language)
	}
	f, err := s.reach.body("inline_code_block", tree.Body, nil)
	r := &routines{s.runner, ctx}
	compiled := &plRoutine{function: f, prepared: map[*plpgsql.SQL]*plStatement{}}
	if err == nil {
		err = r.declare(compiled, 0)
	}
	if err != nil {
		return inBody(err, int(tree.BodyPos))
	}
	s.retries.forget()
	defer r.enter(true)()
	s.txn.Queries()
	made := &invocation{f: &catalog.Function{FunctionTraits: catalog.FunctionTraits{Volatility: "v"}}}
	return interpret.Run(&plEngine{r, compiled, made, nil}, &interpret.Call{
		Function: f, Name: "inline_code_block", Declared: compiled.types, Void: true,
		Emit: func(types.Row) (bool, error) { return true, nil },
	})
}

// body reads the body of a function, with its literals as the session reads them.
func (r *reach) body(name, text string, params []string) (*plpgsql.Function, error) {
	text, err := r.conform(text)
	if err != nil {
		return nil, err
	}
	return plpgsql.Parse(name, text, params)
}

// inBody is an error about a text at a position of the statement.
func inBody(err error, at int) error {
	e := *sqlerr.From(err)
	switch {
	case at < 0:
		e.Position = 0
	case e.Position != 0 && e.Query == "":
		e.Position += at
	}
	return &e
}

func (r *routines) resultOf(c *invocation) types.T {
	if c.Result.OID != types.OIDInvalid {
		return c.Result
	}
	return r.reach.planner(r.txn.Schema()).Typed(c.f.Result.Number())
}

// nameOf is a function with the types of its arguments, for errors.
func (r *routines) nameOf(c *invocation) string {
	p := r.reach.planner(r.txn.Schema())
	var list []string
	for _, oid := range c.f.ArgTypes() {
		list = append(list, p.Typed(oid).String())
	}
	return expr.QuoteIdent(c.f.Name) + "(" + strings.Join(list, ",") + ")"
}

func (r *routines) compilePLpgSQL(c *invocation) (*plRoutine, error) {
	if types.InfoOf(c.f.Result.OID).Name == "trigger" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "trigger functions can only be called as triggers")
	}
	var params []string
	for _, p := range c.f.Params {
		params = append(params, p.Name)
	}
	f, err := r.reach.body(c.f.Name, c.f.Body, params)
	if err != nil {
		return nil, inContext(err, "compilation of PL/pgSQL function \""+c.f.Name+"\"")
	}
	out := &plRoutine{function: f, prepared: map[*plpgsql.SQL]*plStatement{}}
	given, names := r.argTypes(c), &r.reach.planner(r.txn.Schema()).Names
	for i := range c.f.Params {
		p := &c.f.Params[i]
		t := names.Typed(p.Type.Number())
		if p.Given() {
			t, given = given[0], given[1:]
		} else if routine.IsPolymorphic(p.Type.OID) {
			t = c.Result
		}
		out.types = append(out.types, t.Bare())
	}
	return out, r.declare(out, len(c.f.Params))
}

// declare finds the types of the variables behind the parameters.
func (r *routines) declare(out *plRoutine, params int) error {
	f := out.function
	for _, v := range f.Vars[params:] {
		t, err := r.typeOf(v, out.types)
		if err != nil {
			return inContext(err, "compilation of PL/pgSQL function \""+f.Scope.Label+"\" near line "+
				strconv.Itoa(v.Line))
		}
		out.types = append(out.types, t)
	}
	for _, c := range f.Cursors {
		if types.InfoOf(out.types[c.Var.Slot].OID).Name != "refcursor" {
			return sqlerr.New(sqlerr.DatatypeMismatch, "variable \"%s\" must be of type cursor or refcursor",
				c.Var.Name).At(c.At)
		}
	}
	return nil
}

// prepare plans a text, perhaps for a cursor, once for the types that its records have.
func (e *plEngine) prepare(q *plpgsql.SQL, f *interpret.Frame, cursor bool) (*plStatement, error) {
	if p := e.of.prepared[q]; p != nil && p.fits(f) && p.st.schema == e.txn.Schema() {
		return p, nil
	}
	p, err := e.build(q, f, cursor)
	return p, textOf(q).located(err)
}

// build plans a text.
func (e *plEngine) build(q *plpgsql.SQL, f *interpret.Frame, cursor bool) (*plStatement, error) {
	text := parsedAs(q)
	list, err := e.reach.parse(text)
	if err != nil {
		return nil, err
	}
	if len(list) != 1 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "query has %d statements", len(list))
	}
	p := &plStatement{st: newStatement(&list[0], text)}
	names := &plNames{scope: q.Scope, frame: f, of: e.of, st: p}
	p.st.variables, p.st.given, p.st.cursor = names, e.given, cursor
	err = e.planning.plan(p.st)
	if p.st.part == nil {
		p.st.schema = e.txn.Schema()
	}
	if names.err != nil {
		err = names.err
	}
	if err != nil {
		return nil, err
	}
	p.simple = simpleExpr(p.st)
	e.of.prepared[q] = p
	return p, nil
}

// simpleExpr are the values of a query that reads nothing, nil for others.
func simpleExpr(st *Statement) []expr.Expr {
	n, ok := st.plan.(plan.Project)
	if !ok || len(plan.Subqueries(n)) > 0 {
		return nil
	}
	v, ok := n.Input.(plan.Values)
	if !ok || len(v.Rows) != 1 || len(v.Rows[0]) > 0 {
		return nil
	}
	return n.Exprs
}

// fits says whether the records of a frame have the fields that a statement was planned with.
func (p *plStatement) fits(f *interpret.Frame) bool {
	for _, b := range p.bindings {
		t := f.Types[b.slot]
		if b.field >= 0 {
			if t.Def == nil || b.field >= len(t.Def.Types) {
				return false
			}
			t = t.Def.Types[b.field]
		}
		if t.OID != b.t.OID || b.field < 0 && t.Def != b.t.Def {
			return false
		}
	}
	return true
}

// values are those of the parameters of a statement.
func (p *plStatement) values(f *interpret.Frame) []types.Value {
	out := make([]types.Value, len(p.bindings))
	for i, b := range p.bindings {
		out[i] = f.Values[b.slot]
		if b.field >= 0 {
			if out[i].IsNull() {
				continue
			}
			out[i] = out[i].Record().Values[b.field]
		}
	}
	return out
}

// Query implements interpret.Engine.
func (e *plEngine) Query(q *plpgsql.SQL, f *interpret.Frame, each func(interpret.Row) (bool, error)) (int64, error) {
	p, err := e.prepare(q, f, false)
	if err != nil {
		return 0, err
	}
	if q.Expression && p.simple != nil && len(p.simple) == len(p.st.Columns) {
		known := e.reach.context(e.ctx, p.values(f))
		row := make(types.Row, len(p.simple))
		for i, x := range p.simple {
			if row[i], err = x.Eval(known, nil); err != nil {
				return 0, err
			}
		}
		_, err = each(rowOf(p.st, row))
		return 1, err
	}
	if _, ok := p.st.tree.(*ast.CallProcedure); ok {
		return 0, e.call(p, f, textOf(q))
	}
	return e.statement(p.st, p.values(f), textOf(q), each)
}

func rowOf(st *Statement, row types.Row) interpret.Row {
	out := interpret.Row{Values: row}
	for _, c := range st.Columns {
		out.Names, out.Types = append(out.Names, c.Name), append(out.Types, c.Type)
	}
	return out
}

// statement runs a statement. An error of it tells which it is, but not one of what takes its rows.
func (e *plEngine) statement(st *Statement, params []types.Value, text routineText,
	each func(interpret.Row) (bool, error)) (int64, error) {
	if err := refusedInside(st, "unsupported transaction command in PL/pgSQL"); err != nil {
		return 0, err
	}
	if err := e.refuseSideEffects(e.c, st); err != nil {
		return 0, text.located(err)
	}
	shape := rowOf(st, nil)
	var taken error
	n, err := e.runInner(st, params, func(row types.Row) (bool, error) {
		shape.Values = slices.Clone(row)
		more, err := each(shape)
		taken = err
		return more, err
	})
	if err != nil && taken == nil {
		err = text.located(err)
	}
	return n, err
}

// refusedInside is the error of a statement that a function cannot run; that about transactions is given.
func refusedInside(st *Statement, transactions string) error {
	if _, copies := st.tree.(*ast.Copy); copies {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot COPY to/from client in PL/pgSQL")
	}
	if transaction.Changes(st.tree) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s", transactions)
	}
	return nil
}

// Text implements interpret.Engine.
func (e *plEngine) Text(text string, using []interpret.Value,
	each func(interpret.Row) (bool, error)) (n int64, err error) {
	list, params, err := e.dynamic(text, using)
	whole, before := statementText(text), e.calls.mayEnd
	e.calls.mayEnd = false
	defer func() { e.calls.mayEnd = before }()
	for _, st := range list {
		if err := refusedInside(st, "EXECUTE of transaction commands is not implemented"); err != nil {
			return 0, err
		}
		if err := e.planInner(st); err != nil {
			return 0, whole.located(err)
		}
		if n, err = e.statement(st, params, whole, each); err != nil {
			return n, err
		}
	}
	return n, err
}

// dynamic are the statements of a text, and the values of their parameters.
func (e *plEngine) dynamic(text string, using []interpret.Value) (out []*Statement, params []types.Value, err error) {
	list, err := e.reach.parse(text)
	if err != nil {
		return nil, nil, statementText(text).located(err)
	}
	given := &sqlbody.Parameters{}
	for _, u := range using {
		t := u.T
		if t.OID == types.OIDUnknown {
			t = types.Text
		}
		given.Types, params = append(given.Types, t), append(params, u.V)
	}
	for i := range list {
		st := newStatement(&list[i], text)
		st.variables, st.given = given, e.given
		out = append(out, st)
	}
	return out, params, nil
}
