package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/catalog/trigger"
	"zproxy/executor"
	"zproxy/expr/builtin"
	"zproxy/parser"
	"zproxy/planner"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/plpgsql"
	"zproxy/plpgsql/interpret"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/types"
)

// triggers is the part of a session in triggers: it runs their functions.
type triggers struct{ runner }

// triggerRoutine is a function as a trigger of a table runs it.
type triggerRoutine struct {
	*plRoutine
	looks bool            // it may look at rows that the statement writes
	given []planner.Given // the transition tables
	shape
}

// shape is how rows of a table or a view are to a function.
type shape struct {
	row     types.T // with the fields
	columns []int   // which have these places in a row
}

// Fires implements firing.Session.
func (s triggers) Fires(t *plan.Trigger) bool { return t.Enabled.Fires(s.settings.Replica) }

// Defer implements firing.Session.
func (s triggers) Defer(c *firing.Call) bool {
	if !s.txn.Constraints.Deferred(c.ConstraintID, reference.Timing{Deferrable: c.Deferrable, Deferred: c.Deferred}) {
		return false
	}
	s.txn.Constraints.Defer(transaction.Pending{Table: c.Table.ID, Key: c.ConstraintID, Call: c})
	return true
}

// Looks implements firing.Session.
func (s triggers) Looks(t *plan.Trigger) (bool, error) {
	f := s.txn.Schema().FunctionByID(t.Function)
	if f == nil {
		return false, nil
	}
	r := &routines{s.runner, context.Background()}
	compiled, err := r.compileTrigger(t, f)
	if err != nil {
		return false, err
	}
	return compiled.looks, nil
}

// Run implements firing.Session.
func (s triggers) Run(ctx context.Context, f *firing.Call) (types.Row, error) {
	of := s.txn.Schema().FunctionByID(f.Function)
	if of == nil {
		return s.builtIn(ctx, f)
	}
	r := &routines{s.runner, ctx}
	c := &triggerCall{invocation: invocation{f: of}, on: f}
	if f.Timing == trigger.After {
		defer s.behindWrite()()
	}
	before := s.calls.given
	s.calls.triggers++
	defer func() { s.calls.triggers, s.calls.given = s.calls.triggers-1, before }()
	err := r.within(of, func() error { return r.runTrigger(c) })
	return c.out, err
}

// behindWrite says that the statement which runs has written all that it will, until the function that it gives is
// called.
func (s *Session) behindWrite() (end func()) {
	before := s.calls.fixed
	s.calls.fixed = max(before-1, 0)
	return func() { s.calls.fixed = before }
}

// triggerCall is one call of the function of a trigger.
type triggerCall struct {
	invocation
	on  *firing.Call
	out types.Row // the new row, nil if there is to be none
}

func (r *routines) compileTrigger(t *plan.Trigger, f *catalog.Function) (*triggerRoutine, error) {
	key := routineKey{f.ID, f.Version, fmt.Sprint("trigger ", t.ID, " of ", t.Table.ID, " ", t.Table.Version)}
	return compile(r.Session, key, func() (*triggerRoutine, error) {
		text, err := r.reach.conform(f.Body)
		var tree *plpgsql.Function
		if err == nil {
			tree, err = plpgsql.ParseTrigger(f.Name, text)
		}
		if err != nil {
			return nil, inContext(err, "compilation of PL/pgSQL function \""+f.Name+"\"")
		}
		out := &triggerRoutine{plRoutine: &plRoutine{function: tree, prepared: map[*plpgsql.SQL]*plStatement{}}}
		if err := r.declare(out.plRoutine, 0); err != nil {
			return nil, err
		}
		snap := r.txn.Schema()
		out.looks = looks(tree, snap)
		out.row = r.reach.planner(snap).RowOf(t.Table)
		for i := range t.Table.Columns {
			if !t.Table.Columns[i].Hidden {
				out.columns = append(out.columns, i)
			}
		}
		for _, name := range []string{t.OldTable, t.NewTable} {
			if name != "" {
				out.given = append(out.given, planner.Given{Name: name, Cols: out.fields()})
			}
		}
		return out, nil
	})
}

// fields are the columns of rows as a function knows them.
func (s *shape) fields() (out []plan.Column) {
	for i, name := range s.row.Def.Names {
		out = append(out, plan.Column{Name: name, Type: s.row.Def.Types[i]})
	}
	return out
}

// transitions are the rows of the transition tables.
func (t *triggerRoutine) transitions(c *firing.Call) (out []executor.Rows) {
	for i, name := range []string{c.OldTable, c.NewTable} {
		if name == "" {
			continue
		}
		var rows []types.Row
		for _, row := range *[]*[]types.Row{c.OldRows, c.NewRows}[i] {
			known := make(types.Row, len(t.columns))
			for i, at := range t.columns {
				known[i] = row[at]
			}
			rows = append(rows, known)
		}
		out = append(out, givenRows(rows))
	}
	return out
}

// looks says whether a function may look at rows: it runs a statement, or calls another function of users.
func looks(f *plpgsql.Function, snap *catalog.Snapshot) bool {
	named := map[string]bool{"select": true, "table": true, "execute": true}
	for _, other := range snap.Functions() {
		named[strings.ToLower(other.Name)] = true
	}
	return f.Dynamic || slices.ContainsFunc(f.Texts, func(q *plpgsql.SQL) bool {
		if !q.Expression {
			return true
		}
		list, err := parser.Scan(q.Text)
		return err != nil || slices.ContainsFunc(list, func(t parser.Token) bool {
			return named[strings.Trim(strings.ToLower(q.Text[t.Start:t.End]), `"`)]
		})
	})
}

// runTrigger runs the function of a trigger, in PL/pgSQL.
func (r *routines) runTrigger(c *triggerCall) error {
	compiled, err := r.compileTrigger(c.on.Trigger, c.f)
	if err != nil {
		return err
	}
	r.calls.given = compiled.transitions(c.on)
	call := &interpret.Call{
		Function: compiled.function, Name: r.nameOf(&c.invocation), Declared: compiled.types, Known: compiled.known(c.on),
		Take: func(v interpret.Value) (err error) {
			c.out, err = r.taken(compiled, c, v)
			return err
		},
	}
	return interpret.Run(&plEngine{r, compiled.plRoutine, &c.invocation, compiled.given}, call)
}

// record is a row as a value.
func (s *shape) record(row types.Row) types.Value {
	if row == nil {
		return types.Null
	}
	out := &types.RecordValue{Names: s.row.Def.Names, Types: s.row.Def.Types,
		Values: make([]types.Value, len(s.columns))}
	for i, at := range s.columns {
		out.Values[i] = row[at]
	}
	return types.NewRecord(out)
}

// known are the values of the variables that a trigger function has besides its own.
func (t *triggerRoutine) known(c *firing.Call) map[string]interpret.Value {
	text := func(s string) interpret.Value { return interpret.Value{V: types.NewText(s), T: types.Text} }
	level := "STATEMENT"
	if c.Trigger.Row {
		level = "ROW"
	}
	args := interpret.Value{V: types.Null, T: types.Of(types.OIDTextArray)}
	if len(c.Args) > 0 {
		a := &types.ArrayValue{Element: types.OIDText, Dims: []types.Dim{{Length: len(c.Args)}}}
		for _, arg := range c.Args {
			a.Items = append(a.Items, types.NewText(arg))
		}
		args.V = types.NewArray(a)
	}
	out := map[string]interpret.Value{
		"tg_name": text(c.Name), "tg_when": text(string(c.Timing)), "tg_level": text(level), "tg_op": text(c.Event.String()),
		"tg_relid":   {V: types.NewInt(int64(c.Table.ID)), T: types.Of(types.OIDOID)},
		"tg_relname": text(c.Table.Name), "tg_table_name": text(c.Table.Name), "tg_table_schema": text(c.Table.Schema),
		"tg_nargs": {V: types.NewInt(int64(len(c.Args))), T: types.Int4}, "tg_argv": args,
	}
	if c.Trigger.Row {
		out["old"] = interpret.Value{V: t.record(c.Old), T: t.row}
		out["new"] = interpret.Value{V: t.record(c.New), T: t.row}
	}
	return out
}

// taken is the row that a function returns, with the values of the columns that it does not know from the new one.
func (r *routines) taken(t *triggerRoutine, c *triggerCall, v interpret.Value) (types.Row, error) {
	if v.V.IsNull() || !c.on.Row {
		return nil, nil
	}
	if !v.T.IsComposite() {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch,
			"cannot return non-composite value from function returning composite type")
	}
	if c.on.Event == trigger.Delete || c.on.Timing == trigger.After {
		return c.on.Old, nil
	}
	record := v.V.Record()
	if err := t.fits(record); err != nil {
		return nil, err
	}
	out := slices.Clone(c.on.New)
	for i, at := range t.columns {
		out[at] = record.Values[i]
	}
	return out, nil
}

// fits wants a record to have the fields of the rows.
func (t *triggerRoutine) fits(r *types.RecordValue) error {
	wrong := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.DatatypeMismatch,
			"returned row structure does not match the structure of the triggering table").WithDetail(format, args...)
	}
	want := t.row.Def.Types
	if len(r.Values) != len(want) {
		return wrong("Number of returned columns (%d) does not match expected column count (%d).", len(r.Values), len(want))
	}
	for i, have := range r.Types {
		if have.OID != want[i].OID || have.Mod != want[i].Mod && want[i].Mod >= 0 {
			return wrong("Returned type %s does not match expected type %s in column %d.", have, want[i], i+1)
		}
	}
	return nil
}

// builtIn runs a trigger function of the system.
func (s triggers) builtIn(ctx context.Context, f *firing.Call) (types.Row, error) {
	if p := builtin.ProcByOID(f.Function); p != nil {
		switch p.Name {
		case "tsvector_update_trigger":
			return searchTrigger{s, f, false}.run(ctx)
		case "tsvector_update_trigger_column":
			return searchTrigger{s, f, true}.run(ctx)
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "function with OID %d does not exist", f.Function)
}

// emptied fires the triggers of a table that TRUNCATE empties.
func (s triggers) emptied(ctx context.Context, t *catalog.Table, at trigger.Timing) error {
	list, err := s.reach.planner(s.txn.Schema()).Stored().Triggers(t)
	for i := range list {
		if err != nil || !list[i].Of(at, trigger.Truncate, false) || !s.Fires(&list[i]) {
			continue
		}
		c := &firing.Call{Trigger: &list[i], Event: trigger.Truncate}
		wanted := false
		if wanted, err = c.Wanted(s.reach.context(ctx, nil)); err == nil && wanted {
			_, err = s.Run(ctx, c)
		}
	}
	return err
}
