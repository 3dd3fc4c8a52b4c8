package session

import (
	"cmp"
	"context"
	"errors"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/ddl/table"
	"zproxy/catalog/trigger"
	"zproxy/cluster/notify"
	"zproxy/cluster/retry"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/settings"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// utilities runs the statements that are not planned.
type utilities struct{ *Session }

// transaction runs BEGIN, COMMIT and their kin. What follows a COMMIT is another transaction, which has as much time.
func (s utilities) transaction(ctx context.Context, tree *ast.Transaction, c Client) (Outcome, error) {
	out, err := tag(s.txn.Run(ctx, tree, transaction.Hooks{Notice: c.Notice, Finish: s.retries.finish}))
	if tree.Kind == ast.Commit || tree.Kind == ast.Rollback {
		s.bounds.EndTransaction()
	}
	return out, err
}

// utility runs the statements that are not planned.
func (s utilities) utility(ctx context.Context, p *Portal, c Client) (Outcome, error) {
	switch tree := p.statement.tree.(type) {
	case *ast.Set:
		return s.set(tree, c)
	case *ast.Show:
		return s.show(tree, p, c)
	case *ast.Transaction:
		return s.transaction(ctx, tree, c)
	case *ast.Prepare:
		return tag("PREPARE", s.prepareStatement(tree, p.statement.text))
	case *ast.Deallocate:
		return s.deallocate(tree.Name)
	case *ast.Discard:
		return s.discard(ctx, tree.What, p)
	case *ast.DeclareCursor:
		return tag("DECLARE CURSOR", s.cursors.declare(ctx, tree, p))
	case *ast.Fetch:
		return s.cursors.fetch(ctx, tree, p, c)
	case *ast.CloseCursor:
		return s.cursors.closeCursors(tree.Name, p)
	case *ast.Unlisten:
		return tag("UNLISTEN", s.txn.Intend(notify.Unlisten(tree.Channel)))
	case *ast.Listen:
		return tag("LISTEN", s.txn.Intend(notify.Listen(tree.Channel)))
	case *ast.Notify:
		return tag("NOTIFY", s.txn.Intend(notify.Notify(tree.Channel, tree.Payload)))
	case *ast.Do:
		return tag("DO", s.do(ctx, tree, c))
	case *ast.CallProcedure:
		return tag("CALL", s.call(ctx, p, c))
	case *ast.LockTable:
		return tag("LOCK TABLE", s.lockTables(ctx, tree))
	case *ast.SetConstraints:
		return tag("SET CONSTRAINTS", foreignKeys{Session: s.Session}.setConstraints(ctx, tree, c))
	default:
		return s.define(ctx, p, c)
	}
}

// define runs the statements that change the schema or what is known of it.
func (s utilities) define(ctx context.Context, p *Portal, c Client) (Outcome, error) {
	if !changesNothing(p.statement.tree) {
		if err := s.txn.RefuseReadOnly(ddl.Tag(p.statement.tree)); err != nil {
			return Outcome{}, err
		}
	}
	if tree, ok := p.statement.tree.(*ast.Cluster); ok && tree.Table == nil {
		if err := s.txn.NotIn("CLUSTER"); err != nil {
			return Outcome{}, err
		}
	}
	switch tree := p.statement.tree.(type) {
	case *ast.CreateTableAs:
		var o Outcome
		err := s.txn.Retry(func() (err error) {
			o, err = s.runner.createTableAs(ctx, tree, p, c, nil)
			return err
		})
		return o, err
	case *ast.Refresh:
		var o Outcome
		err := s.txn.Retry(func() (err error) {
			o, err = s.runner.refresh(ctx, tree, p, c)
			return err
		})
		return o, err
	case *ast.ShowIndex:
		return s.showIndex(ctx, tree, p, c)
	case *ast.CheckIndex:
		return s.checkIndex(ctx, tree, p, c)
	default:
		return tag(ddl.Tag(tree), s.redefine(ctx, tree, c))
	}
}

// redefine runs the statements that deliver no rows. The client hears only notices of the run that counts.
func (s utilities) redefine(ctx context.Context, tree ast.Statement, c Client) error {
	notices := &laterNotices{Client: c}
	run := func() error {
		return s.txn.Retry(func() error {
			notices.list = nil
			return s.redefineOnce(ctx, tree, notices)
		})
	}
	var err error
	switch tree.(type) {
	case *ast.DropIndex, *ast.AlterIndex, *ast.BuildIndex:
		err = s.untilAgreed(ctx, run)
	default:
		err = run()
	}
	return cmp.Or(notices.send(), err)
}

func (s utilities) redefineOnce(ctx context.Context, tree ast.Statement, c Client) error {
	switch tree := tree.(type) {
	case *ast.DropIndex, *ast.AlterIndex, *ast.BuildIndex, *ast.CreateIndex, *ast.IndexOptions, *ast.Reindex,
		*ast.Analyze, *ast.Vacuum:
		return s.reach.indexes(c).Run(ctx, tree)
	case *ast.CreateTable, *ast.AlterTable, *ast.Truncate, *ast.ImportForeignSchema, *ast.AlterDomain,
		*ast.AlterComposite, *ast.Cluster:
		return s.tables(c).Run(ctx, tree)
	case *ast.CreateSchema:
		return s.createSchema(ctx, tree, c)
	case *ast.CreateDatabase, *ast.AlterDatabase, *ast.DropDatabase:
		return s.databases(c).Run(ctx, tree)
	case *ast.AlterRoleSet:
		if tree.System {
			if err := s.txn.NotIn("ALTER SYSTEM"); err != nil {
				return err
			}
		}
	case *ast.Drop:
		if tree.Kind == ast.TablespaceObject {
			if err := s.txn.NotIn("DROP TABLESPACE"); err != nil {
				return err
			}
		}
	case *ast.Rename:
		if tree.Kind == ast.DatabaseObject {
			return s.databases(c).Run(ctx, tree)
		}
	}
	return s.reach.definer(c).Run(ctx, tree)
}

// tables runs statements about tables.
func (s utilities) tables(c Client) *table.Definer {
	out := s.reach.tables(c)
	out.Query = foreignKeys{Session: s.Session}.query
	out.Fire = func(ctx context.Context, t *catalog.Table, at trigger.Timing) error {
		before := s.calls.client
		defer func() { s.calls.client = before }()
		s.calls.client = c
		return triggers{s.runner}.emptied(ctx, t, at)
	}
	return out
}

// untilAgreed runs a statement about the build of an index again if a step of the build has written
// how far it is at the same time. In a block the client is told.
func (s utilities) untilAgreed(ctx context.Context, statement func() error) error {
	for try := 1; ; try++ {
		err := statement()
		if !errors.Is(err, store.ErrConflict) || !transaction.Outside(&s.txn) || try == retry.Most {
			return err
		}
		s.txn.Rollback()
		if err := retry.Pause(ctx, try); err != nil {
			return err
		}
	}
}

// changesNothing says whether a statement is heard in a read-only transaction. What ANALYZE
// learns is no data, and an index that is built anew answers as before.
func changesNothing(tree ast.Statement) bool {
	switch tree := tree.(type) {
	case *ast.ShowIndex, *ast.Analyze, *ast.Vacuum, *ast.Reindex, *ast.BuildIndex:
		return true
	case *ast.CheckIndex:
		return !tree.Repair
	}
	return false
}

func tag(name string, err error) (Outcome, error) { return Outcome{Tag: name}, err }

func (s utilities) set(tree *ast.Set, c Client) (Outcome, error) {
	if tree.Local && transaction.Outside(&s.txn) {
		return tag("SET", c.Notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction,
			"SET LOCAL can only be used in transaction blocks")))
	}
	row, _ := settings.Find(tree.Name)
	value, err := row.Written(tree)
	switch {
	case err != nil:
		return tag("SET", err)
	case tree.Name == "all" && tree.Default:
		return tag("RESET", s.settings.ResetAll())
	case row.Follows != "" && !tree.Default:
		return tag("SET", s.txn.SetCharacteristic(row.Name, value))
	case tree.Reset:
		return tag("RESET", s.settings.Reset(tree.Name, tree.Local))
	case tree.Default:
		return tag("SET", s.settings.Reset(tree.Name, tree.Local))
	case tree.Current:
		value, ok := s.settings.Get(tree.Name)
		if !ok {
			return Outcome{}, settings.Unknown(tree.Name)
		}
		return tag("SET", s.settings.Ask(tree.Name, value, tree.Local))
	}
	return tag("SET", s.settings.Ask(tree.Name, value, tree.Local))
}

// setConfig is SET as a function.
func (r *reach) setConfig(name, value string, local bool) (string, error) {
	set := r.settings.Ask
	if row, _ := settings.Find(name); row.Follows != "" {
		set = func(name, value string, _ bool) error { return r.txn.SetCharacteristic(name, value) }
	}
	if err := set(name, value, local); err != nil {
		return "", err
	}
	shown, _ := r.settings.Get(name)
	return shown, nil
}

func (s utilities) show(tree *ast.Show, p *Portal, c Client) (Outcome, error) {
	out := types.NewBatch(len(p.Columns))
	if tree.Name == "all" {
		for _, row := range settings.Table {
			value, _ := s.settings.Get(row.Name)
			r := out.Add()
			r[0], r[1], r[2] = types.NewText(row.Name), types.NewText(value), types.NewText(row.Note)
		}
		return tag("SHOW", c.Rows(p, out))
	}
	value, ok := s.settings.Get(tree.Name)
	if !ok {
		return Outcome{}, settings.Unknown(tree.Name)
	}
	out.Add()[0] = types.NewText(value)
	return tag("SHOW", c.Rows(p, out))
}

// showIndex lists the key of a table and its indexes.
func (s utilities) showIndex(ctx context.Context, tree *ast.ShowIndex, p *Portal, c Client) (Outcome, error) {
	t, err := s.reach.planner(s.txn.Schema()).Table(tree.Table)
	if err != nil {
		return Outcome{}, err
	}
	builds, err := s.db.builds.List(ctx)
	if err != nil {
		return Outcome{}, err
	}
	out := types.NewBatch(len(p.Columns))
	condition := func(x catalog.TableIndex) string { return s.reach.view().Condition(x, system.Layout{}) }
	for _, cells := range index.Show(t, builds, condition) {
		row := out.Add()
		for i, cell := range cells {
			row[i] = types.NewText(cell)
		}
	}
	return tag("SHOW INDEX", c.Rows(p, out))
}

// checkIndex runs CHECK INDEX and ADMIN CHECK.
func (s utilities) checkIndex(ctx context.Context, tree *ast.CheckIndex, p *Portal, c Client) (Outcome, error) {
	rows, err := index.Checker{Definer: s.reach.indexes(nil)}.Check(ctx, tree)
	if err != nil {
		return Outcome{}, err
	}
	out := types.NewBatch(len(p.Columns))
	for row, err := range rows {
		if err != nil {
			return Outcome{}, err
		}
		if out.Append(row); !out.Full() {
			continue
		}
		if err := c.Rows(p, out); err != nil {
			return Outcome{}, err
		}
		out.Reset(len(p.Columns))
	}
	return tag("CHECK INDEX", c.Rows(p, out))
}

// utilityColumns are the columns of the statements that are not planned.
func utilityColumns(tree ast.Statement) []plan.Column {
	text := func(names ...string) []plan.Column {
		var out []plan.Column
		for _, n := range names {
			out = append(out, plan.Column{Name: n, Type: types.Text})
		}
		return out
	}
	switch tree := tree.(type) {
	case *ast.Show:
		if tree.Name == "all" {
			return text("name", "setting", "description")
		}
		row, _ := settings.Find(tree.Name)
		return text(row.Name)
	case *ast.ShowIndex:
		return text(index.ShowColumns...)
	case *ast.CheckIndex:
		var out []plan.Column
		for _, c := range system.CheckColumns {
			out = append(out, plan.Column{Name: c.Name, Type: types.Of(c.Type)})
		}
		return out
	}
	return nil
}
