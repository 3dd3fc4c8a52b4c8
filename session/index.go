package session

import (
	"context"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/curve"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// createIndex makes an index, and fills it before anybody can see it, or in the background.
func (s *Session) createIndex(ctx context.Context, tree *ast.CreateIndex, c Client) error {
	later := tree.Concurrently || tree.Timing == ast.Async
	if tree.Concurrently || later {
		if err := s.notInBlock("CREATE INDEX " + map[bool]string{true: "CONCURRENTLY", false: "ASYNC"}[tree.Concurrently]); err != nil {
			return err
		}
	}
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	b := s.statement(nil).Builder(ctx, change.Snap)
	t, err := b.Table(tree.Table)
	if err != nil {
		return err
	}
	if err := s.statement(nil).MustOwn(change.Snap, t); err != nil {
		return err
	}
	if err := s.statement(nil).MayMakeIn(change.Snap, t.Schema); err != nil {
		return err
	}
	if tree.Name != "" && s.indexNameTaken(change.Snap, t, tree.Name) {
		if tree.IfNotExists {
			return c.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation %q already exists, skipping", tree.Name))
		}
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", tree.Name)
	}
	x, err := b.CreateIndex(tree, t)
	if err != nil {
		return err
	}
	if err := s.refuseInUse("CREATE INDEX", t); err != nil {
		return err
	}
	if later {
		return s.createLater(ctx, t, x, c)
	}
	return s.addIndex(ctx, t, x, c)
}

// indexNameTaken says whether an index of a table cannot have a name. An index of another
// table may have it, as Lindorm has it.
func (s *Session) indexNameTaken(snap *catalog.Snapshot, t *catalog.Table, name string) bool {
	if t.Index(name) != nil || t.PrimaryKey == name {
		return true
	}
	_, isIndex := snap.Relation(t.Schema, name).(catalog.TableIndex)
	return !isIndex && snap.Relation(t.Schema, name) != nil
}

// addIndex fills an index and puts it into the schema.
func (s *Session) addIndex(ctx context.Context, t *catalog.Table, x *catalog.Index, c Client) error {
	declared := *x
	out, known, err := s.fillIndex(ctx, t, x)
	if err != nil {
		return err
	}
	return s.adviseIndex(c, out, &declared, known)
}

// fillIndex fills an index, which is new or takes the place of one with its ID, and puts it into
// the schema. It gives the table with it, and what was learned of the rows. It is filled in bulk
// where the transaction will see the entries.
func (s *Session) fillIndex(ctx context.Context, t *catalog.Table, x *catalog.Index) (*catalog.Table, advice.Known, error) {
	var known advice.Known
	if err := s.txn.Alone(ctx, t); err != nil {
		return nil, known, err
	}
	s.txn.EndReading()
	var txn store.Txn // nil: the transaction has not begun to read, and will see entries that are made beside it
	var err error
	if s.txn.Txn() != nil {
		if txn, err = s.txn.RowsOf(ctx, t); err != nil {
			return nil, known, err
		}
	}
	if x.Unique {
		if err := s.db.expiry.RemoveBefore(ctx, &s.txn.Transaction, t); err != nil {
			return nil, known, err
		}
	}
	command, index := createIndexCommand, uint32(0)
	if t.IndexByID(x.ID) != nil {
		command, index = reindexCommand, x.ID
	}
	told := &indexing{command: command, relation: t.ID}
	defer s.indexes(told)()
	survey, err := s.measure(ctx, t, told.enter(index, "building index: scanning table", t.Stats.Rows))
	if err != nil {
		return nil, known, err
	}
	known.Stats, known.Samples = survey.Stats, curve.Samples(x, survey.Codes)
	if x.Method == catalog.ZOrder {
		if err := s.learnMaps(t, x, known.Stats, known.Samples); err != nil {
			return nil, known, err
		}
	}
	out := t.WithIndex(*x)
	if known.Stats.Rows > 0 {
		out.Stats = known.Stats
	}
	x = out.IndexByID(x.ID)
	if err := s.txn.Create(ctx, out.IndexSpace(x)); err != nil {
		return nil, known, err
	}
	indexed, err := s.planner(s.schema()).Stored().Indexed(out)
	if err != nil {
		return nil, known, err
	}
	if err = survey.Learn(indexed, &out.Stats); err != nil {
		return nil, known, err
	}
	build := executor.IndexBuild{Tables: s.db.tables, Table: indexed, Index: x,
		Seen: told.enter(index, "building index", known.Stats.Rows)}
	if txn != nil {
		err = s.txn.FillNew(ctx, []store.Space{*out.IndexSpace(x)},
			func(txn store.Txn) error { return build.In(ctx, txn) })
	} else {
		err = build.Apart(ctx, s.db.Store)
	}
	if err == nil {
		err = s.txn.Put(ctx, out)
	}
	return out, known, err
}

// describeKey shows the columns of a key.
func describeKey(keys []catalog.KeyColumn, name func(id uint32) string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		if out[i] = name(k.ID); k.Desc {
			out[i] += " DESC"
		}
	}
	return strings.Join(out, ", ")
}
