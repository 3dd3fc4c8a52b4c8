package session

import (
	"context"

	"zproxy/catalog/define"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/store"
)

// createTableAs runs CREATE TABLE AS and SELECT INTO.
func (s runner) createTableAs(ctx context.Context, tree *ast.CreateTableAs, p *Portal, c Client) (Outcome, error) {
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
	if err != nil || skip {
		return tag("CREATE TABLE AS", err)
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
	if err != nil {
		return Outcome{}, err
	}
	if err := s.reach.definer(nil).KeepTable(ctx, t, tree.OnCommit); err != nil || tree.NoData {
		return tag("CREATE TABLE AS", err)
	}
	env := s.reach.executorEnv(ctx, txn)
	env.Expr, env.MaxWrites = s.reach.context(ctx, query.params), s.settings.MaxWrites
	env.MaxRead, env.MaxUnits = s.settings.MaxRead, s.settings.MaxUnits
	from, err := s.admission.admit(query.statement, env.Expr, false)
	if err != nil {
		return Outcome{}, err
	}
	env.Thought = s.thought(query.statement, from, env.Expr)
	env.ReadsAll = s.admission.wholeSpace(query.statement, env.Expr)
	n := planner.Fill(t.Table, from)
	if err := s.admission.refuseWrites(query.statement, n, env.Expr); err != nil {
		return Outcome{}, err
	}
	var count int64
	err = s.txn.FillNew(ctx, cluster.NewSpaces{Spaces: cluster.SpacesOf(t.Table)}, func(txn store.Txn) (err error) {
		env.Txn = txn
		count, _, err = executor.Write(ctx, n, env)
		return err
	})
	return counted("SELECT", count), err
}

// tableQuery is the query that fills a new table.
func (s runner) tableQuery(ctx context.Context, tree *ast.CreateTableAs, p *Portal) (*Portal, error) {
	if execute, ok := tree.Query.(*ast.ExecutePrepared); ok {
		inner, err := s.executePrepared(ctx, execute, p)
		if err != nil {
			return nil, err
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
