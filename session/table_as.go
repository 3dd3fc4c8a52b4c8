package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/define"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/store"
)

// createTable makes a table, and tells what is wrong with its keys.
func (s *Session) createTable(ctx context.Context, tree *ast.CreateTable, c Client) error {
	if tree.Foreign != nil {
		return s.createForeignTable(ctx, tree, c)
	}
	t, err := s.definer(c).CreateTable(ctx, tree)
	if err != nil || t == nil {
		return err
	}
	return s.adviseTable(c, t, advice.Known{}, advice.On)
}

// createTableAs runs CREATE TABLE AS and SELECT INTO.
func (s *Session) createTableAs(ctx context.Context, tree *ast.CreateTableAs, p *Portal, c Client) (Outcome, error) {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return Outcome{}, err
	}
	if p.statement.plan != nil {
		if err := s.allow(p.statement); err != nil {
			return Outcome{}, err
		}
	}
	name := tree.Table
	name.Pos = -1
	schema, skip, err := s.definer(c).NewRelation(ctx, name, tree.IfNotExists)
	if err != nil || skip {
		return tag("CREATE TABLE AS", err)
	}
	txn, err := s.store(ctx, true)
	if err != nil {
		return Outcome{}, err
	}
	query, err := s.tableQuery(ctx, tree, p)
	if err != nil {
		return Outcome{}, err
	}
	columns := query.statement.plan.Columns()
	t, err := s.statement(nil).Builder(ctx, change.Snap).CreateTableAs(
		define.TableAs{Schema: schema, Name: tree.Table.Name, Columns: tree.Columns, Options: tree.Options}, columns)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.definer(nil).KeepTable(ctx, t); err != nil || tree.NoData {
		return tag("CREATE TABLE AS", err)
	}
	env := s.executorEnv(ctx, txn)
	env.Expr, env.MaxRead, env.MaxUnits = s.context(ctx, query.params), s.settings.MaxRead, s.settings.MaxUnits
	from, err := s.admit(query.statement, env.Expr)
	if err != nil {
		return Outcome{}, err
	}
	env.ReadsAll = s.wholeSpace(query.statement, env.Expr)
	n := planner.Fill(t.Table, from)
	var count int64
	err = s.txn.FillNew(ctx, cluster.SpacesOf(t.Table), func(txn store.Txn) (err error) {
		env.Txn = txn
		count, _, err = executor.Write(ctx, n, env)
		return err
	})
	return counted("SELECT", count), err
}

// tableQuery is the query that fills a new table.
func (s *Session) tableQuery(ctx context.Context, tree *ast.CreateTableAs, p *Portal) (*Portal, error) {
	if execute, ok := tree.Query.(*ast.ExecutePrepared); ok {
		inner, err := s.executePrepared(ctx, execute, p)
		if err != nil {
			return nil, err
		}
		if !inner.isSelect() {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "prepared statement is not a SELECT")
		}
		return inner, s.allow(inner.statement)
	}
	if err := s.current(p.statement); err != nil {
		return nil, err
	}
	return p, s.allow(p.statement)
}

// truncate empties tables: each goes to new spaces.
func (s *Session) truncate(ctx context.Context, tree *ast.Truncate) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	var tables []*catalog.Table
	for _, name := range tree.Tables {
		t, err := s.planner(change.Snap).Table(name)
		if err != nil {
			return err
		}
		if err := s.statement(nil).MustHold(change.Snap, t, catalog.MayTruncate); err != nil {
			return err
		}
		if err := planner.Written(t, "truncate"); err != nil {
			return err
		}
		tables = append(tables, t)
	}
	for _, t := range tables {
		if err := s.refuseInUse("TRUNCATE", t); err != nil {
			return err
		}
		if err := s.txn.Alone(ctx, t); err != nil {
			return err
		}
		t = change.Snap.ByID(t.ID).(*catalog.Table)
		to, err := (&define.Alter{Builder: s.statement(nil).Builder(ctx, change.Snap), Table: t}).Truncated()
		if err != nil {
			return err
		}
		if err := s.txn.CreateSpaces(ctx, to); err != nil {
			return err
		}
		s.txn.DropLater(cluster.SpacesOf(t)...)
		if err := s.txn.Put(ctx, to); err != nil {
			return err
		}
		if tree.RestartIdentity {
			if err := s.restart(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// restart lets the sequences of a table begin anew.
func (s *Session) restart(ctx context.Context, t *catalog.Table) error {
	for _, q := range s.txn.Changed().Snap.Sequences() {
		if q.OwnerTable != t.ID {
			continue
		}
		if err := s.begins(ctx, q, catalogstore.State{Last: q.Start}); err != nil {
			return err
		}
	}
	return nil
}

// begins puts a sequence in a new state.
func (s *Session) begins(ctx context.Context, q *catalog.Sequence, at catalogstore.State) error {
	if _, err := s.txn.Settled(ctx, q); err != nil {
		return err
	}
	state, err := s.statement(nil).NextID(ctx)()
	if err != nil {
		return err
	}
	c := *q
	c.Version++
	c.State, c.From, c.FromCalled = state, at.Last, at.Called
	return s.txn.Put(ctx, &c)
}
