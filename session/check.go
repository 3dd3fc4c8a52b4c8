package session

import (
	"context"
	"zproxy/catalog"
	"zproxy/cluster/check"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// upkeep is what a session's functions do to tables and indexes, in one statement.
type upkeep struct{ *within }

// CheckIndexes implements system.Upkeep.
func (u upkeep) CheckIndexes(relation uint32, index string, repair bool) expr.Set {
	if _, err := u.s.store(u.ctx, false); err != nil { // the table is wanted as the transaction sees it
		return failedSet(err)
	}
	snap := u.s.schema()
	if repair {
		if err := u.s.refuseReadOnly("zproxy.check_index() with repair"); err != nil {
			return failedSet(err)
		}
	}
	switch r := snap.Numbered(relation).(type) {
	case nil:
		return failedSet(sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", relation))
	case *catalog.Table:
		return u.s.checkRows(u.ctx, r, indexAsText(r, index), repair)
	case catalog.TableIndex:
		if index != "" {
			return failedSet(sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Ref().Name))
		}
		if r.Index == nil { // the rows themselves
			return u.s.checkRows(u.ctx, r.Table, r.Table.PrimaryKey, repair)
		}
		return u.s.checkRows(u.ctx, r.Table, r.Index.Name, repair)
	default:
		return failedSet(sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Ref().Name))
	}
}

func failedSet(err error) expr.Set {
	return func(yield func(types.Row, error) bool) { yield(nil, err) }
}

// checkRows are the rows of a check of an index of a table, or of all with an empty name. The
// transaction sees what it wrote itself; a repair is a transaction of its own.
func (s *Session) checkRows(ctx context.Context, t *catalog.Table, index string, repair bool) expr.Set {
	return func(yield func(types.Row, error) bool) {
		txn, err := s.mayCheck(ctx, t, index, repair)
		if err != nil {
			yield(nil, err)
			return
		}
		indexed, err := stored.In(s.schema()).Indexed(t)
		if err != nil {
			yield(nil, err)
			return
		}
		env, told := s.settings.Env, &indexing{command: "CHECK INDEX", relation: t.ID}
		defer s.indexes(told)()
		enter := func(x uint32, total float64) *executor.Seen {
			return told.enter(x, "comparing rows and entries", total)
		}
		c := check.Table{Checker: s.db.Checker(), Table: indexed, Repair: repair, Enter: enter, Read: executor.IndexCheck{
			Txn: txn, Env: &env, Total: &s.running.used, MaxMemory: s.settings.StatementMemory}}
		for f, err := range c.Findings(ctx, index) {
			if err != nil {
				yield(nil, err)
				return
			}
			row := types.Row{types.NewText(f.Index.Name), types.NewText(string(f.Class)), types.NewText(f.Key),
				types.NewText(f.Row), types.NewText(f.Detail), types.NewBool(f.Repaired)}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// mayCheck wants the present role to own a table, of which the findings show values, and gives
// the transaction to read it in.
func (s *Session) mayCheck(ctx context.Context, t *catalog.Table, index string, repair bool) (store.Txn, error) {
	if index != "" && t.Index(index) == nil && t.PrimaryKey != index {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "index \"%s\" does not exist", index)
	}
	if err := s.statement(nil).MustOwn(s.schema(), t); err != nil {
		return nil, err
	}
	if err := notOnForeign(t, "check"); err != nil {
		return nil, err
	}
	if repair {
		if err := s.notInBlock("a repair of indexes"); err != nil {
			return nil, err
		}
	}
	return s.strong(ctx)
}

// checkIndex runs CHECK INDEX and ADMIN CHECK, whose rows are those of zproxy.check_index.
func (s *Session) checkIndex(ctx context.Context, tree *ast.CheckIndex, p *Portal, c Client) (Outcome, error) {
	if _, err := s.store(ctx, false); err != nil { // the table is wanted as the transaction sees it
		return Outcome{}, err
	}
	t, err := s.planner(s.schema()).Table(tree.Table)
	if err != nil {
		return Outcome{}, err
	}
	index := ""
	if tree.Index != nil {
		index = tree.Index.Name
	}
	out := types.NewBatch(len(p.Columns))
	for row, err := range s.checkRows(ctx, t, index, tree.Repair) {
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
