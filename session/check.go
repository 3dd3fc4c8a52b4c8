package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"zproxy/catalog"
	"zproxy/cluster/failure"
	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// IndexFinding is an entry of an index that does not agree with the rows of the table.
type IndexFinding struct {
	Table *catalog.Table
	Index *catalog.Index
	*executor.Finding
	Repaired bool // nothing is wrong with it any more
}

// CheckIndexes compares the indexes of all tables with their rows, while others go on writing,
// and repairs what it can if that is asked for. Where an index or its table cannot be read, since a file is
// damaged, it yields the error with the table and the index, and goes on with the next.
func (db *DB) CheckIndexes(ctx context.Context, repair bool) iter.Seq2[IndexFinding, error] {
	return func(yield func(IndexFinding, error) bool) {
		for _, t := range db.Snapshot().Tables() {
			more, err := db.checkTable(ctx, t.ID, repair, yield)
			if err != nil {
				more = yield(IndexFinding{Table: t}, err) && isDamage(err)
			}
			if !more {
				return
			}
		}
	}
}

// checkTable is CheckIndexes for one table, if it is still there. It says whether more is wanted.
func (db *DB) checkTable(ctx context.Context, id uint32, repair bool, yield func(IndexFinding, error) bool) (bool, error) {
	txn, schema, err := db.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(id).(*catalog.Table)
	if t == nil || t.Foreign != nil {
		return true, nil
	}
	indexed, err := db.indexed(schema, t)
	if err != nil {
		return false, err
	}
	check := indexCheck{db: db, table: indexed, repair: repair, read: executor.IndexCheck{Txn: txn}}
	for f, err := range check.findings(ctx, "") {
		if err != nil && !isDamage(err) {
			return false, err
		}
		if !yield(f, err) {
			return false, nil
		}
	}
	return true, nil
}

func isDamage(err error) bool { return errors.As(err, new(*store.Damaged)) }

// Damages are the files of the store that are not as they were written, in the words of what a statement
// that reads them would be answered. An error that is not a damage is the last that it yields.
func (db *DB) Damages(ctx context.Context) iter.Seq2[error, error] {
	return func(yield func(damage, err error) bool) {
		v, ok := db.Store.(store.Verifier)
		if !ok {
			return
		}
		for d, err := range v.Verify(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(failure.Damaged(db.Snapshot(), d, d), nil) {
				return
			}
		}
	}
}

// indexed is a table with what its partial indexes hold. The conditions say themselves how they
// were meant, so no session is asked.
func (db *DB) indexed(schema *catalog.Snapshot, t *catalog.Table) (plan.Indexed, error) {
	p := planner.Planner{
		Binder:    bind.Binder{Names: bind.Names{Catalog: schema}, Constants: bind.Constants{Env: &types.Env{}}},
		ParseExpr: parser.Expression, ParseQuery: parser.Query,
	}
	return p.Indexed(t)
}

// indexCheck is a check of indexes of one table.
type indexCheck struct {
	db     *DB
	table  plan.Indexed
	repair bool
	read   executor.IndexCheck // with the transaction that reads, and without an index
	told   *indexing           // nil: how far it is is not told
}

// repairBatch is how many findings are repaired in one transaction.
const repairBatch = 64

// findings are those of an index, or of all with an empty name. What is repaired is repaired
// when it is yielded.
func (c indexCheck) findings(ctx context.Context, index string) iter.Seq2[IndexFinding, error] {
	return func(yield func(IndexFinding, error) bool) {
		for i := range c.table.Indexes {
			x := &c.table.Indexes[i]
			if index != "" && x.Name != index {
				continue
			}
			more, err := c.ofIndex(ctx, x, yield)
			if err != nil {
				more = yield(IndexFinding{Table: c.table.Table, Index: x}, err) && isDamage(err)
			}
			if !more {
				return
			}
		}
	}
}

// ofIndex yields the findings of one index, and says whether more is wanted.
func (c indexCheck) ofIndex(ctx context.Context, x *catalog.Index, yield func(IndexFinding, error) bool) (bool, error) {
	check := c.on(c.read.Txn, c.table, x)
	check.Seen = c.told.enter(x.ID, "comparing rows and entries", 2*c.table.Stats.Rows)
	var waiting []*executor.Finding
	for f, err := range check.Findings(ctx) {
		if err != nil {
			return false, err
		}
		if waiting = append(waiting, f); c.repair && len(waiting) < repairBatch {
			continue
		}
		if more, err := c.hand(ctx, x, waiting, yield); err != nil || !more {
			return false, err
		}
		waiting = nil
	}
	return c.hand(ctx, x, waiting, yield)
}

// on is the check of an index in a transaction.
func (c indexCheck) on(txn store.Txn, t plan.Indexed, x *catalog.Index) executor.IndexCheck {
	check := c.read
	check.Txn, check.Tables, check.Table, check.Index = txn, c.db.tables, t, x
	check.Loose = c.db.Store.Capabilities().Loose
	if c.db.Store.Capabilities().Expires {
		check.Now = c.db.now
	}
	return check
}

// hand yields findings, which it repairs if that is wanted.
func (c indexCheck) hand(ctx context.Context, x *catalog.Index, found []*executor.Finding, yield func(IndexFinding, error) bool) (bool, error) {
	repaired := make([]bool, len(found))
	if c.repair && len(found) > 0 {
		if err := c.repairAll(ctx, x, found, repaired); err != nil {
			return false, err
		}
	}
	for i, f := range found {
		if !yield(IndexFinding{c.table.Table, x, f, repaired[i]}, nil) {
			return false, nil
		}
	}
	return true, nil
}

// repairAll repairs findings in a transaction of its own, until no other transaction conflicts with it, and says
// of which ones nothing is left.
func (c indexCheck) repairAll(ctx context.Context, x *catalog.Index, found []*executor.Finding, repaired []bool) error {
	for try := 1; ; try++ {
		err := c.repairOnce(ctx, x, found, repaired)
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) || try == retry.Most {
			return err
		}
		if err := retry.Pause(ctx, try); err != nil {
			return err
		}
	}
}

// repairOnce repairs by the table as it is now. An index that is gone has nothing left to repair.
func (c indexCheck) repairOnce(ctx context.Context, x *catalog.Index, found []*executor.Finding, repaired []bool) error {
	txn, schema, err := c.db.Begin(ctx, store.Mode{})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(c.table.ID).(*catalog.Table)
	if t != nil {
		x = t.IndexByID(x.ID)
	}
	if t == nil || x == nil {
		for i := range repaired {
			repaired[i] = true
		}
		return nil
	}
	indexed, err := c.db.indexed(schema, t)
	if err != nil {
		return err
	}
	for i, f := range found {
		if repaired[i], err = c.on(txn, indexed, x).Repair(ctx, f); err != nil {
			return err
		}
	}
	if err := c.db.CommitRows(lock.Wait{Ctx: ctx}, txn, []*catalog.Table{t}, nil); err != nil {
		return err
	}
	return c.stayed(ctx, x, found, repaired)
}

// stayed finds which leftovers are still there behind their repair.
func (c indexCheck) stayed(ctx context.Context, x *catalog.Index, found []*executor.Finding, repaired []bool) error {
	if !slices.ContainsFunc(found, (*executor.Finding).Harmless) {
		return nil
	}
	txn, err := c.db.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	for i, f := range found {
		if !repaired[i] || !f.Harmless() {
			continue
		}
		stays, err := c.on(txn, c.table, x).Stays(ctx, f)
		if err != nil {
			return err
		}
		repaired[i] = !stays
	}
	return nil
}

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
		indexed, err := s.db.indexed(s.schema(), t)
		if err != nil {
			yield(nil, err)
			return
		}
		env, told := s.settings.Env, &indexing{command: "CHECK INDEX", relation: t.ID}
		defer s.indexes(told)()
		check := indexCheck{db: s.db, table: indexed, repair: repair, told: told, read: executor.IndexCheck{
			Txn: txn, Env: &env, Total: &s.running.used, MaxMemory: s.settings.StatementMemory}}
		for f, err := range check.findings(ctx, index) {
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
