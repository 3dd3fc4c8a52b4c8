package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/ddl/table"
	"zproxy/catalog/define"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// createTableAs runs CREATE TABLE AS and SELECT INTO. What filling the table takes is measured if that is asked for.
func (s runner) createTableAs(ctx context.Context, tree *ast.CreateTableAs, p *Portal, c Client, m *filling) (
	Outcome, error) {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if p.statement.plan != nil {
		if err := s.admission.allow(p.statement); err != nil {
			return Outcome{}, err
		}
	}
	name := tree.Table
	name.Pos = -1
	schema, skip, err := s.reach.definer(c).NewRelation(ctx, name, tree.IfNotExists)
	made := "CREATE TABLE AS"
	if tree.Materialized {
		made = ddl.Tag(tree)
	}
	if err != nil || skip {
		return tag(made, err)
	}
	txn, err := s.txn.Store(ctx, true)
	if err != nil {
		return Outcome{}, err
	}
	query, err := s.tableQuery(ctx, tree, p)
	if err != nil {
		return Outcome{}, err
	}
	columns := query.statement.plan.Columns()
	t, err := s.reach.statement(nil).Builder(ctx, change.Snap).CreateTableAs(
		define.TableAs{Schema: schema, Name: tree.Table.Name, Columns: tree.Columns, Options: tree.Options}, columns)
	if err == nil && tree.Materialized {
		err = define.Materialize(s.reach.statement(nil).Builder(ctx, change.Snap), t.Table, tree)
	}
	if err != nil {
		return Outcome{}, err
	}
	if err := s.reach.definer(nil).KeepTable(ctx, t, tree.OnCommit); err != nil || tree.NoData {
		return tag(made, err)
	}
	count, err := s.fill(ctx, query, txn, t.Table, m)
	return counted("SELECT", count), err
}

// refresh runs REFRESH MATERIALIZED VIEW.
func (s runner) refresh(ctx context.Context, tree *ast.Refresh, p *Portal, c Client) (Outcome, error) {
	txn, err := s.txn.Store(ctx, true)
	if err == nil {
		_, err = s.begin(ctx, p.statement, true)
	}
	if err != nil {
		return Outcome{}, err
	}
	return tag(ddl.Tag(tree), table.Refresh(ctx, s.reach.tables(c), tree, func(to *catalog.Table) error {
		if err := s.admission.allow(p.statement); err != nil {
			return err
		}
		_, err := s.fill(ctx, p, txn, to, nil)
		return err
	}))
}

// fill fills a new table, or one in new spaces, with the rows of a query.
func (s runner) fill(ctx context.Context, query *Portal, txn store.Txn, to *catalog.Table, m *filling) (
	count int64, err error) {
	if err := query.statement.populated(); err != nil {
		return 0, err
	}
	env := s.reach.executorEnv(ctx, txn)
	env.Expr, env.MaxWrites = s.reach.context(ctx, query.params), s.settings.MaxWrites
	env.MaxRead, env.MaxUnits = s.settings.MaxRead, s.settings.MaxUnits
	from, err := s.admission.admit(query.statement, env.Expr, false)
	if err != nil {
		return 0, err
	}
	env.Thought = s.thought(query.statement, from, env.Expr)
	env.ReadsAll = s.admission.wholeSpace(query.statement, env.Expr)
	n, err := s.reach.planner(s.txn.Changed().Snap).Filled(to, from)
	if err != nil {
		return 0, err
	}
	if err := s.admission.refuseWrites(query.statement, n, env.Expr); err != nil {
		return 0, err
	}
	defer m.measure(env, n, from)()
	spaces := cluster.NewSpaces{Spaces: cluster.SpacesOf(to), Table: to}
	err = s.txn.FillNew(ctx, spaces, func(in cluster.Filling) (err error) {
		env.Txn, env.Sorted = in.Txn, in.Sorted
		count, _, err = executor.Write(ctx, n, env)
		return err
	})
	return count, err
}

// tableQuery is the query that fills a new table: that of a statement, or of the one that an EXECUTE names. If that is
// explained, there is a portal of it already.
func (s runner) tableQuery(ctx context.Context, tree *ast.CreateTableAs, p *Portal) (*Portal, error) {
	if execute, ok := tree.Query.(*ast.ExecutePrepared); ok {
		inner := p
		if p.statement.tree == ast.Statement(tree) {
			var err error
			if inner, err = s.executePrepared(ctx, execute, p); err != nil {
				return nil, err
			}
		}
		if !inner.isSelect() {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "prepared statement is not a SELECT")
		}
		return inner, s.admission.allow(inner.statement)
	}
	if _, err := s.begin(ctx, p.statement, true); err != nil {
		return nil, err
	}
	return p, s.admission.allow(p.statement)
}

// populated refuses to read materialized views that have no rows yet.
func (st *Statement) populated() error {
	for i := range st.tables {
		if t := st.tables[i].Table; t.Materialized != nil && t.Materialized.Empty {
			return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "materialized view %q has not been populated",
				t.Name).WithHint("Use the REFRESH MATERIALIZED VIEW command.")
		}
	}
	return nil
}

// fillsTable says whether the rows of a statement's query go to spaces of their own.
func fillsTable(tree ast.Statement) bool {
	switch tree.(type) {
	case *ast.CreateTableAs, *ast.Refresh:
		return true
	}
	return false
}
