package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/routine"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// callState is what a session knows of the functions that run.
type callState struct {
	client   Client // of the statement that runs
	depth    int    // functions that are under way
	triggers int    // of them those of triggers
	// given are the rows of the transition tables of the trigger that runs.
	given []executor.Rows
	// fixed is how many statements are under way that read what they write: no snapshot may be taken meanwhile.
	fixed    int
	compiled *compiled // nil: nothing was called yet
	unnamed  int       // cursors that functions have made names for
	mayEnd   bool      // what runs may end the transaction
}

// compiled are functions that were called.
type compiled struct {
	of    map[routineKey]any
	order []routineKey // the oldest first
}

// routineKey is a version of a function, and the types that it is called with.
type routineKey struct {
	id, version uint32
	types       string
}

// mostCompiled is how many functions a session keeps plans for.
const mostCompiled = 500

// deepest is how many functions may call one another. PostgreSQL limits the bytes of its stack.
const deepest = 600

// routineStatement is what a statement inside of a function has besides.
type routineStatement struct {
	variables bind.Variables    // of the function
	body      *catalog.Function // in whose text names mean what they meant when it was made; nil: what they mean now
	volatile  bool              // it calls functions that may write, or see more than the statement
	cursor    bool              // a cursor of a function is opened for it
}

// within has the planner of a statement know the function that it is in.
func (s *routineStatement) within(p *planner.Planner) {
	p.Variables = s.variables
	if s.body != nil {
		p.Catalog, p.SearchPath = p.Catalog.As(s.body.Uses), s.body.Path
	}
}

// callsVolatile says whether a plan calls functions that may write.
func callsVolatile(n plan.Node) bool {
	return slices.ContainsFunc(plan.Routines(n), func(f *expr.Function) bool { return f.Volatility == expr.Volatile })
}

// routines runs the functions of the catalog that the expressions of a statement call.
type routines struct {
	runner
	ctx context.Context
}

// invocation is one call of a function.
type invocation struct {
	expr.RoutineCall
	f    *catalog.Function
	emit func(types.Row) (bool, error) // takes a row of the result, and says whether more are wanted
}

// Value implements expr.Routines.
func (r *routines) Value(_ *expr.Context, call expr.RoutineCall) (out types.Value, err error) {
	f := call.Of.(*catalog.Function)
	row := call.Row
	if row == nil {
		row = routine.ResultRow(f)
	}
	err = r.invoke(&invocation{RoutineCall: call, f: f, emit: func(in types.Row) (bool, error) {
		if row == nil || len(in) == 1 && len(row.Types) > 1 {
			out = in[0]
		} else {
			out = types.NewRecord(&types.RecordValue{Values: slices.Clone(in), Names: row.Names, Types: row.Types})
		}
		return false, nil
	}})
	return out, err
}

// Rows implements expr.Routines.
func (r *routines) Rows(_ *expr.Context, call expr.RoutineCall) expr.Set {
	f := call.Of.(*catalog.Function)
	return func(yield func(types.Row, error) bool) {
		if f.Strict && slices.ContainsFunc(call.Args, types.Value.IsNull) {
			return
		}
		stopped := false
		err := r.invoke(&invocation{RoutineCall: call, f: f, emit: func(in types.Row) (bool, error) {
			stopped = !yield(in, nil)
			return !stopped, nil
		}})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

// invoke runs a function with the rights and settings that it is to have.
func (r *routines) invoke(c *invocation) error {
	role := r.user.Role()
	if of, ok := c.For.(*catalog.Function); ok && of != nil {
		role = of.OwnerID()
	}
	if err := r.mayCall(role, c.f); err != nil {
		return err
	}
	return r.within(c.f, func() error { return r.run(c) })
}

// May implements expr.Routines.
func (r *routines) May(aggregate any) error {
	return r.mayCall(r.user.Role(), aggregate.(*catalog.Function))
}

// mayCall refuses a function that a role has no right to call.
func (r *routines) mayCall(role uint32, f *catalog.Function) error {
	if have, _ := r.txn.Schema().Privileges(role, f); have&catalog.MayExecute == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", f.Kind(), f.Name)
	}
	return nil
}

// within runs a function with the settings and the role that it is to have.
func (r *routines) within(f *catalog.Function, run func() error) error {
	s := r.Session
	if s.calls.depth >= deepest {
		return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), " +
				"after ensuring the platform's stack depth limit is adequate.")
	}
	if err := s.bounds.Interrupted(); err != nil {
		return err
	}
	defer r.enter(f.Procedure && !f.Definer && len(f.Settings) == 0 && f.Language == routine.PLpgSQL)()
	restore, err := r.assume(f)
	if err == nil {
		err = run()
		restore()
	}
	return err
}

// enter notes that a function begins, which may end the transaction if the statement may that calls it, until the
// function that it gives is called.
func (r *routines) enter(mayEnd bool) (leave func()) {
	s := r.Session
	before := s.calls.mayEnd
	s.calls.mayEnd = before && mayEnd && !transaction.Nested(&s.txn)
	s.calls.depth++
	s.txn.Inner = true
	return func() {
		s.calls.depth--
		s.txn.Inner, s.calls.mayEnd = s.calls.depth > 0, before
	}
}

// assume gives the session the role and the settings of a function, until the function that it gives is called.
func (r *routines) assume(f *catalog.Function) (restore func(), err error) {
	s := &r.settings
	definer, was := s.Who.Definer, map[string]string{}
	if f.Definer {
		s.Who.Definer = f.OwnerID()
	}
	restore = func() {
		for name, value := range was {
			_ = s.Set(name, value, true) // it had this value before
		}
		s.Who.Definer = definer
	}
	for _, setting := range f.Settings {
		name, value, _ := strings.Cut(setting, "=")
		was[name], _ = s.Get(name)
		if err := s.Set(name, value, true); err != nil {
			restore()
			return nil, err
		}
	}
	return restore, nil
}

// run runs a function by its language.
func (r *routines) run(c *invocation) error {
	switch c.f.Language {
	case routine.PLpgSQL:
		return r.runPLpgSQL(c)
	case routine.InternalLanguage:
		return r.runInternal(c)
	}
	return r.runSQL(c)
}

// key is the key of what a call runs.
func (c *invocation) key() routineKey {
	key := routineKey{c.f.ID, c.f.Version, ""}
	if routine.Polymorphic(c.f) {
		for _, t := range c.Types {
			key.types += t.String() + " "
		}
	}
	if c.Row != nil {
		for _, t := range c.Row.Types {
			key.types += "," + t.String()
		}
	}
	return key
}

// compile is what a call of a function runs: from those that the session keeps, or made anew.
func compile[T any](s *Session, key routineKey, build func() (T, error)) (T, error) {
	if s.calls.compiled == nil {
		s.calls.compiled = &compiled{of: map[routineKey]any{}}
	}
	kept := s.calls.compiled
	if found, ok := kept.of[key].(T); ok {
		return found, nil
	}
	out, err := build()
	if err != nil {
		return out, err
	}
	if len(kept.order) >= mostCompiled {
		delete(kept.of, kept.order[0])
		kept.order = kept.order[1:]
	}
	kept.of[key], kept.order = out, append(kept.order, key)
	return out, nil
}

// argTypes are the types of the arguments of a call.
func (r *routines) argTypes(c *invocation) []types.T {
	names := &r.reach.planner(r.txn.Schema()).Names
	out := make([]types.T, len(c.Args))
	for i, p := range c.f.Inputs() {
		if out[i] = names.Typed(p.Type.Number()); routine.IsPolymorphic(p.Type.OID) && i < len(c.Types) {
			out[i] = c.Types[i]
		}
	}
	return out
}

// inContext is an error with what was being done when it came up.
func inContext(err error, where string) error {
	var e *sqlerr.Error
	if err == nil || !errors.As(err, &e) || errors.Is(err, store.ErrConflict) {
		return err
	}
	c := *sqlerr.From(err)
	if c.Query == "" {
		c.Position = 0
	}
	if where == "" {
		return &c
	}
	if c.Where != "" {
		where = c.Where + "\n" + where
	}
	c.Where = where
	return &c
}

// runInner runs a statement of a function, and gives its rows, which the receiver may end. It counts rows.
func (r *routines) runInner(st *Statement, params []types.Value, each func(types.Row) (bool, error)) (int64, error) {
	if r.calls.fixed == 0 {
		r.txn.NextStatement()
	}
	count := int64(0)
	rows := func(in executor.Rows) error {
		for batch, err := range in {
			if err != nil {
				return err
			}
			for i := range batch.Len() {
				count++
				if more, err := each(batch.Row(i)); err != nil || !more {
					return err
				}
			}
		}
		return nil
	}
	p := &Portal{Columns: st.Columns, statement: st, params: params}
	switch st.tree.(type) {
	case *ast.Select:
		n, env, err := r.selectEnv(r.ctx, p, false)
		if err != nil {
			return 0, err
		}
		release := r.pin(st, env)
		defer release()
		return count, rows(executor.Run(r.ctx, n, env))
	case *ast.Insert, *ast.Update, *ast.Delete, *ast.Merge:
		if err := r.txn.RefuseWrites(st.written, ddl.CommandName(st.tree)); err != nil {
			return 0, err
		}
		e := &execution{statement: st, params: params}
		err := r.write(r.ctx, e)
		r.retries.forget()
		if err == nil && e.rows != nil {
			err = rows(e.rows)
		}
		return e.count, err
	}
	o, err := r.runner.run(r.ctx, p, innerClient{r.calls.client, func(b *types.Batch) error {
		for i := range b.Len() {
			if _, err := each(b.Row(i)); err != nil {
				return err
			}
		}
		return nil
	}})
	return o.Count, err
}

// pin has a query that calls functions go on to see the state that it began with, until the function that it gives is
// called.
func (s runner) pin(st *Statement, env *executor.Env) (release func()) {
	if !st.volatile || st.written != nil {
		return func() {}
	}
	env.Txn, release = store.Past(env.Txn)
	return release
}

// innerClient is the client of a statement inside of a function.
type innerClient struct {
	Client
	rows func(*types.Batch) error
}

// Columns implements Client.
func (innerClient) Columns(*Portal) error { return nil }

// Done implements Client.
func (innerClient) Done(Outcome) error { return nil }

// Rows implements Client.
func (c innerClient) Rows(_ *Portal, rows *types.Batch) error { return c.rows(rows) }
