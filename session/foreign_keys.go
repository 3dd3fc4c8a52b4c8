package session

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/cluster/lock"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// foreignKeys is the part of a session in keeping foreign keys: it runs the statements that they need, as the owner of
// the table that refers, and keeps the checks that are deferred.
type foreignKeys struct {
	*Session
	of *executor.Env // the run whose keys are kept; nil: none
}

// mostKeyStatements is how many statements of foreign keys a session keeps planned.
const mostKeyStatements = 100

// Checks implements referential.Session.
func (s foreignKeys) Checks() bool { return !s.settings.Replica }

// Deferred implements referential.Session.
func (s foreignKeys) Deferred(id uint32, t reference.Timing) bool {
	return s.txn.Constraints.Deferred(id, t)
}

// Defer implements referential.Session.
func (s foreignKeys) Defer(r *plan.Reference, vacated bool, keys []types.Row) error {
	s.txn.Constraints.Defer(transaction.Pending{Table: r.Child.ID, Key: r.Key.ID, Vacated: vacated, Keys: keys})
	return nil
}

// DeferUnique implements referential.Session.
func (s foreignKeys) DeferUnique(table, index uint32, keys []types.Row) error {
	s.txn.Constraints.Defer(transaction.Pending{Table: table, Key: index, Keys: keys})
	return nil
}

// Run implements referential.Session.
func (s foreignKeys) Run(ctx context.Context, k referential.Statement) ([]types.Row, error) {
	st, err := s.keyStatement(&k)
	if err != nil {
		return nil, err
	}
	out, err := s.own(ctx, st, k.Given())
	fixed := s.txn.Fixed() || s.calls.fixed > 1
	if err != nil || len(out) > 0 || !k.Vacated || !fixed || !s.db.Store.Capabilities().Snapshots {
		return out, err
	}
	later, err := s.later(ctx, referential.Later(k))
	if err == nil && len(later) > 0 && k.Writes {
		err = sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent update")
	}
	return later, err
}

// later is the first of some keys to which rows refer that others have committed later than the transaction sees,
// which keeps to one state: nothing that it reads tells of them.
func (s foreignKeys) later(ctx context.Context, k referential.Statement) ([]types.Row, error) {
	st, err := s.keyStatement(&k)
	if err != nil {
		return nil, err
	}
	if err := s.txn.LockTables(ctx, st.tables, lock.Block); err != nil {
		return nil, err
	}
	fresh, _, err := s.db.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer fresh.Rollback()
	values := s.reach.context(ctx, nil)
	env := s.runner.executes(&executor.Env{}, fresh, values)
	env.Later, env.Rows = s.txn.Txn(), []executor.Rows{givenRows(k.Given())}
	return collected(executor.Run(ctx, s.admission.planFor(st, values, false), env))
}

// keyStatement is a planned statement, which is kept for the next time.
func (s foreignKeys) keyStatement(k *referential.Statement) (*Statement, error) {
	kind := k.Kind()
	if st := s.keyStatements[kind]; st != nil {
		return st, nil
	}
	st, err := s.ownStatement(k.Text, []planner.Given{{Name: referential.Given, Cols: k.Cols}}, k.Of.Child.Owner)
	if err != nil {
		return nil, err
	}
	if len(s.keyStatements) >= mostKeyStatements || s.keyStatements == nil {
		s.keyStatements = map[string]*Statement{}
	}
	s.keyStatements[kind] = st
	return st, nil
}

// ownStatement plans a statement of the program's own, which runs as a role.
func (s foreignKeys) ownStatement(text string, given []planner.Given, role uint32) (*Statement, error) {
	list, err := s.reach.parse(text)
	if err != nil {
		return nil, err
	}
	st := newStatement(&list[0], text)
	st.noParams, st.given, st.as = true, given, role
	return st, s.planning.plan(st)
}

// own runs a statement of the program's own within the present one, with rows given to it. It sees what the present
// one has written, and what others have committed.
func (s foreignKeys) own(ctx context.Context, st *Statement, given []types.Row) ([]types.Row, error) {
	defer s.behindWrite()()
	if s.calls.fixed == 0 {
		s.txn.NextStatement()
	}
	txn, err := s.runner.begin(ctx, st, true)
	if err != nil {
		return nil, err
	}
	values := s.reach.context(ctx, nil)
	env := s.runner.executes(&executor.Env{}, txn, values)
	if s.of != nil {
		env.Within(s.of)
	}
	env.Rows = []executor.Rows{givenRows(given)}
	n := s.admission.planFor(st, values, false)
	if plan.Target(n) == nil {
		return collected(executor.Run(ctx, n, env))
	}
	s.txn.NoteWrites(st.written, true)
	_, _, err = executor.Write(ctx, n, env)
	s.txn.Wrote, s.txn.Tally = append(s.txn.Wrote, st.written...), append(s.txn.Tally, env.Tally...)
	return nil, err
}

// givenRows delivers rows that are given to a statement, as often as it reads them.
func givenRows(rows []types.Row) executor.Rows {
	return func(yield func(*types.Batch, error) bool) {
		for some := range slices.Chunk(rows, types.BatchRows) {
			batch := types.NewBatch(len(some[0]))
			for _, row := range some {
				copy(batch.Add(), row)
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// collected are all rows of a stream.
func collected(rows executor.Rows) (out []types.Row, err error) {
	for batch, err := range rows {
		if err != nil {
			return nil, err
		}
		for i := range batch.Len() {
			out = append(out, append(types.Row(nil), batch.Row(i)...))
		}
	}
	return out, nil
}

// query runs a SELECT of the program's own.
func (s foreignKeys) query(ctx context.Context, text string) ([]types.Row, error) {
	st, err := s.ownStatement(text, nil, catalog.BootstrapID)
	if err != nil {
		return nil, err
	}
	return s.own(ctx, st, nil)
}

// checkPending checks keys whose check was deferred, those that are to be checked now.
func (s foreignKeys) checkPending(ctx context.Context, now func(*transaction.Pending) bool) error {
	for _, p := range s.txn.Constraints.Take(now) {
		if err := s.checkOne(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// checkOne checks keys of one constraint, if it is still there.
func (s foreignKeys) checkOne(ctx context.Context, p transaction.Pending) error {
	snap := s.txn.Schema()
	t, _ := snap.ByID(p.Table).(*catalog.Table)
	if t == nil {
		return nil
	}
	if p.Call != nil {
		return s.fire(ctx, t, p.Call)
	}
	k, x := t.ForeignKeys.Numbered(p.Key), t.IndexByID(p.Key)
	if x == nil && (k == nil || k.NotEnforced) {
		return nil
	}
	txn, err := s.txn.Store(ctx, true)
	if err != nil {
		return err
	}
	env := s.runner.executes(&executor.Env{}, txn, s.reach.context(ctx, nil))
	if x != nil {
		return env.CheckUnique(ctx, t, x, p.Keys)
	}
	parent, _ := snap.ByID(k.Table).(*catalog.Table)
	r, err := referential.New(s.reach.planner(snap).Stored(), k, t, parent)
	if err != nil {
		return err
	}
	return env.CheckKeys(ctx, &r, p.Keys, p.Vacated)
}

// atEnd checks all that was deferred.
func (s foreignKeys) atEnd(ctx context.Context) error {
	if !s.txn.Constraints.Waits() {
		return nil
	}
	for s.txn.Constraints.Waits() { // what a trigger does may want other checks
		s.txn.NextStatement()
		if err := s.checkPending(ctx, func(*transaction.Pending) bool { return true }); err != nil {
			return err
		}
	}
	return nil
}

// fire makes a call of a constraint trigger of a table, if that still has it.
func (s foreignKeys) fire(ctx context.Context, t *catalog.Table, c *firing.Call) error {
	if !slices.ContainsFunc(t.Triggers.Triggers, func(x catalog.Trigger) bool { return x.ID == c.ID }) {
		return nil
	}
	_, err := triggers{s.runner}.Run(ctx, c)
	return err
}

// setConstraints runs SET CONSTRAINTS. What is to be checked at once from now on is checked.
func (s foreignKeys) setConstraints(ctx context.Context, tree *ast.SetConstraints, c Client) error {
	block := !transaction.Outside(&s.txn)
	if !block {
		if err := c.Notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction,
			"SET CONSTRAINTS can only be used in transaction blocks")); err != nil {
			return err
		}
	}
	var constraints []uint32
	for _, name := range tree.Names {
		ids, err := s.deferrable(name, tree.Deferred)
		if err != nil {
			return err
		}
		constraints = append(constraints, ids...)
	}
	if !block {
		return nil
	}
	if tree.Names == nil {
		s.txn.Constraints.SetAll(tree.Deferred)
	}
	for _, id := range constraints {
		s.txn.Constraints.Set(id, tree.Deferred)
	}
	if tree.Deferred {
		return nil
	}
	snap := s.txn.Schema()
	return s.checkPending(ctx, func(p *transaction.Pending) bool {
		t, _ := snap.ByID(p.Table).(*catalog.Table)
		if t == nil {
			return true
		}
		return !s.txn.Constraints.Deferred(p.Key, timingOf(t, p.Key))
	})
}

// deferrable are the numbers of the constraints of a name that may be deferred, in the first schema of the search path
// that has the name. All must be such if they are wanted to be deferred.
func (s foreignKeys) deferrable(name ast.Name, wanted bool) ([]uint32, error) {
	snap := s.txn.Schema()
	path := s.reach.path(snap)
	if name.Schema != "" {
		if snap.Schema(name.Schema) == nil {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", name.Schema)
		}
		path = []string{name.Schema}
	}
	for _, schema := range path {
		var out []uint32
		found := false
		for _, t := range snap.Tables() {
			if t.Schema != schema || !t.HasConstraint(name.Name) && constraintID(t, name.Name) == 0 {
				continue
			}
			found = true
			id := constraintID(t, name.Name)
			switch {
			case timingOf(t, id).Deferrable:
				out = append(out, withPartitions(snap, t, id)...)
			case wanted:
				return nil, sqlerr.New(sqlerr.WrongObjectType, "constraint %q is not deferrable", name.Name)
			}
		}
		if found {
			return out, nil
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "constraint %q does not exist", name.Name)
}

// constraintID is the number of a constraint that may be deferrable, 0 when there is none of a name.
func constraintID(t *catalog.Table, name string) uint32 {
	if k := t.ForeignKeys.Find(name); k != nil {
		return k.ID
	}
	if x := t.Index(name); x != nil && x.Constraint {
		return x.ID
	}
	if x := t.Trigger(name); x != nil {
		return x.ConstraintID
	}
	return 0
}

// timingOf is when the constraint with a number is checked.
func timingOf(t *catalog.Table, constraint uint32) reference.Timing {
	if k := t.ForeignKeys.Numbered(constraint); k != nil {
		return k.Timing
	}
	if x := t.IndexByID(constraint); x != nil {
		return x.Layout.Timing
	}
	for i := range t.Triggers.Triggers {
		if x := &t.Triggers.Triggers[i]; x.ConstraintID == constraint {
			return reference.Timing{Deferrable: x.Deferrable, Deferred: x.Deferred}
		}
	}
	return reference.Timing{}
}

// withPartitions is a constraint of a table, and what stands for it in partitions.
func withPartitions(snap *catalog.Snapshot, t *catalog.Table, constraint uint32) []uint32 {
	out := []uint32{constraint}
	of := []uint32{}
	for _, x := range t.Triggers.Triggers {
		if x.ConstraintID == constraint {
			of = append(of, x.ID)
		}
	}
	for _, p := range snap.Descendants(t.ID) {
		for _, x := range p.Triggers.Triggers {
			if slices.Contains(of, x.Parent) {
				of, out = append(of, x.ID), append(out, x.ConstraintID)
			}
		}
		for i := range p.Indexes {
			if x := &p.Indexes[i]; slices.Contains(out, x.Of) {
				out = append(out, x.ID)
			}
		}
	}
	return out
}

// beforeCommit is the last that a transaction does.
func (s *Session) beforeCommit(ctx context.Context) error {
	if err := (foreignKeys{Session: s}).atEnd(ctx); err != nil {
		return err
	}
	return s.endTemporaryTables(ctx)
}
