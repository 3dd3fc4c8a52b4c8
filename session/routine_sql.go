package session

import (
	"fmt"
	"slices"

	"zproxy/catalog/ddl"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/inline"
	"zproxy/planner/sqlbody"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/types"
)

// sqlRoutine is a function in SQL with its plans.
type sqlRoutine struct {
	statements []*Statement
	whole      bool        // the only column of the last statement is the row that is returned
	casts      []expr.Expr // of the columns of the last statement, to what the function returns; nil: they are that
}

// runSQL runs a function in SQL.
func (r *routines) runSQL(c *invocation) error {
	compiled, err := compile(r.Session, c.key(), func() (*sqlRoutine, error) { return r.compileSQL(c) })
	if err != nil {
		when := sqlbody.Startup
		if inline.Reads(c.f) { // as PostgreSQL does when it plans a call
			when = sqlbody.Inlining
		}
		return sqlbody.Failed(err, c.f, when)
	}
	void := c.f.Result.OID == types.OIDVoid
	for i, st := range compiled.statements {
		last := i == len(compiled.statements)-1
		err := r.planInner(st)
		if err == nil {
			err = r.refuseSideEffects(c, st)
		}
		if err == nil {
			_, err = r.runInner(st, c.Args, func(row types.Row) (bool, error) {
				if !last || void {
					return true, nil
				}
				out, err := r.delivered(compiled, c, row)
				if err != nil {
					return false, err
				}
				return c.emit(out)
			})
		}
		if err != nil {
			return inContext(err, fmt.Sprintf("SQL function %q statement %d", c.f.Name, i+1))
		}
	}
	return nil
}

// delivered is a row of the last statement as the function returns it.
func (r *routines) delivered(compiled *sqlRoutine, c *invocation, row types.Row) (types.Row, error) {
	out := slices.Clone(row)
	if compiled.casts != nil {
		known := r.reach.context(r.ctx, nil)
		for i, cast := range compiled.casts {
			var err error
			if out[i], err = cast.Eval(known, row); err != nil {
				return nil, err
			}
		}
	}
	composite := c.f.Result.OID.IsRow() || c.Row != nil || c.f.Result.OID == types.OIDRecord
	if compiled.whole || !composite {
		return out, nil
	}
	names, ts := []string(nil), []types.T(nil)
	last := compiled.statements[len(compiled.statements)-1]
	for i, col := range last.Columns {
		names, ts = append(names, col.Name), append(ts, col.Type)
		if compiled.casts != nil {
			ts[i] = compiled.casts[i].Type()
		}
	}
	if c.Row != nil {
		return out, nil
	}
	if c.f.Outputs() != nil {
		return out, nil
	}
	return types.Row{types.NewRecord(&types.RecordValue{Names: names, Types: ts, Values: out})}, nil
}

// planInner makes sure that a statement of a function has a plan for the catalog as it is.
func (r *routines) planInner(st *Statement) error {
	if st.plan != nil {
		return nil
	}
	return r.planning.plan(st)
}

// refuseSideEffects refuses statements that a function must not run which is not volatile.
func (r *routines) refuseSideEffects(c *invocation, st *Statement) error {
	if c.f.Volatility == "v" {
		return nil
	}
	if _, query := st.tree.(*ast.Select); query && st.written == nil {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed in a non-volatile function",
		ddl.CommandName(st.tree))
}

// compileSQL plans the statements of a function in SQL.
func (r *routines) compileSQL(c *invocation) (*sqlRoutine, error) {
	of := *c.f
	if !of.Statements {
		var err error
		if of.Body, err = r.reach.conform(of.Body); err != nil {
			return nil, err
		}
	}
	list, err := sqlbody.Parse(&of)
	if err != nil {
		return nil, err
	}
	out := &sqlRoutine{}
	variables := sqlbody.ParametersOf(c.f, r.argTypes(c))
	var last ast.Statement
	for i := range list {
		st := newStatement(&list[i], of.Body)
		st.variables = variables
		if c.f.Statements {
			st.body = c.f
		}
		out.statements, last = append(out.statements, st), st.tree
		if _, copies := st.tree.(*ast.Copy); copies {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "cannot COPY to/from client in an SQL function")
		}
		if transaction.Changes(st.tree) {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%s is not allowed in an SQL function",
				ddl.CommandName(st.tree))
		}
	}
	if len(out.statements) == 0 {
		return out, nil
	}
	end := out.statements[len(out.statements)-1]
	if !sqlbody.Delivers(last) && c.f.Result.OID == types.OIDVoid {
		return out, nil
	}
	if len(out.statements) > 1 && !r.canPlan(end) {
		return out, nil
	}
	if err := r.planInner(end); err != nil {
		return nil, err
	}
	return out, r.conversion(out, c, end)
}

// canPlan says whether a statement can be planned before those in front of it have run.
func (r *routines) canPlan(st *Statement) bool { return st.part == nil || r.planning.plan(st) == nil }

// conversion finds how the columns of the last statement become what the function returns.
func (r *routines) conversion(out *sqlRoutine, c *invocation, end *Statement) error {
	p := r.reach.planner(r.txn.Schema())
	result := p.Typed(c.f.Result.Number())
	if c.Result.OID != types.OIDInvalid {
		result = c.Result
	}
	if c.Row != nil {
		result.Def = c.Row
	}
	var err error
	if out.whole, err = sqlbody.CheckResult(c.f, result, end.tree, end.Columns); err != nil || out.whole {
		return err
	}
	fields := sqlbody.ResultTypes(c.f, result)
	if fields == nil && (result.OID == types.OIDRecord || result.OID == types.OIDVoid) {
		return nil
	}
	if fields == nil {
		fields = []types.T{result}
	}
	same := true
	casts := make([]expr.Expr, len(fields))
	for i, to := range fields {
		col := expr.Column{Index: i, T: end.Columns[i].Type}
		if casts[i], _, err = p.Coerce(col, to.Bare(), types.Assignment, -1); err != nil {
			return err
		}
		same = same && expr.Equal(casts[i], col)
	}
	if !same {
		out.casts = casts
	}
	return nil
}
