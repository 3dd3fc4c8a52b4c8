package session

import (
	"context"
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
	"zproxy/store"
)

// changeSchema runs a schema change. It waits until running commits have ended and keeps
// others out until it is done; f gives the tables to store and to remove, and undoes its
// own steps when it fails.
func (s *Session) changeSchema(ctx context.Context, f func(snap *catalog.Snapshot) (put, drop []catalog.Object, err error)) error {
	if s.txn.block {
		return sqlerr.Unsupported("a schema change inside a transaction block")
	}
	if err := s.commit(ctx); err != nil { // of statements before it in the same message
		return err
	}
	s.db.schema.Lock()
	defer s.db.schema.Unlock()
	snap := s.db.snapshot()
	put, drop, err := f(snap)
	if err != nil {
		return err
	}
	txn, err := s.db.store.Begin(ctx, store.Mode{})
	if err != nil {
		return fmt.Errorf("schema change: %w", err)
	}
	defer txn.Rollback()
	for _, t := range drop {
		if err := catalogstore.Delete(txn, t); err != nil {
			return err
		}
		snap = snap.Without(t)
	}
	for _, t := range put {
		if err := catalogstore.Put(txn, t); err != nil {
			return err
		}
		snap = snap.With(t)
	}
	if err := txn.Commit(ctx); err != nil {
		return fmt.Errorf("schema change: %w", err)
	}
	s.db.current.Store(snap)
	return nil
}

// nextID takes a number in a commit of its own, so that a change which fails or dies
// never leaves one to be used twice.
func (db *DB) nextID(ctx context.Context) (uint64, error) {
	txn, err := db.store.Begin(ctx, store.Mode{})
	if err != nil {
		return 0, fmt.Errorf("next id: %w", err)
	}
	defer txn.Rollback()
	id, err := catalogstore.NextID(ctx, txn)
	if err != nil {
		return 0, err
	}
	return id, txn.Commit(ctx)
}

// schemaFor is the schema that a new table goes to.
func (s *Session) schemaFor(n ast.Name) (string, error) {
	switch {
	case n.Schema != "" && n.Schema != "public":
		return "", sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", n.Schema).At(int(n.Pos))
	case n.Schema != "":
		return n.Schema, nil
	case len(s.settings.path) == 0:
		return "", sqlerr.New(sqlerr.InvalidSchemaName, "no schema has been selected to create in").At(int(n.Pos))
	}
	return s.settings.path[0], nil
}

func (s *Session) createTable(ctx context.Context, tree *ast.CreateTable, c Client) error {
	schema, err := s.schemaFor(tree.Table)
	if err != nil {
		return err
	}
	skipped := false
	err = s.changeSchema(ctx, func(snap *catalog.Snapshot) (put, drop []catalog.Object, err error) {
		if snap.Table(schema, tree.Table.Name) != nil {
			if skipped = tree.IfNotExists; skipped {
				return nil, nil, nil
			}
			return nil, nil, sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", tree.Table.Name)
		}
		t, err := s.planner(snap).CreateTable(tree, schema, s.ids(ctx))
		if err != nil {
			return nil, nil, err
		}
		if err := s.db.store.Create(ctx, t.TableSpace()); err != nil {
			return nil, nil, fmt.Errorf("create table: %w", err)
		}
		for i := range t.Indexes {
			if err := s.db.store.Create(ctx, t.IndexSpace(&t.Indexes[i])); err != nil {
				return nil, nil, fmt.Errorf("create table: %w", err)
			}
		}
		put = append(put, t.Table)
		for _, q := range t.Sequences {
			put = append(put, q)
		}
		return put, nil, nil
	})
	if err == nil && skipped {
		return c.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation %q already exists, skipping", tree.Table.Name))
	}
	return err
}

func (s *Session) ids(ctx context.Context) planner.IDs {
	return func() (uint64, error) { return s.db.nextID(ctx) }
}

func (s *Session) dropTable(ctx context.Context, tree *ast.Drop, c Client) error {
	var gone []*catalog.Table
	var missing []string
	err := s.changeSchema(ctx, func(snap *catalog.Snapshot) (put, drop []catalog.Object, err error) {
		for _, name := range tree.Names {
			t, err := s.planner(snap).Table(name)
			switch {
			case err == nil:
				gone, drop = append(gone, t), append(drop, t)
			case tree.IfExists:
				missing = append(missing, name.Name)
			default:
				return nil, nil, sqlerr.New(sqlerr.UndefinedTable, "table %q does not exist", name.Name)
			}
		}
		return nil, drop, nil
	})
	if err != nil {
		return err
	}
	for _, name := range missing {
		if err := c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "table %q does not exist, skipping", name)); err != nil {
			return err
		}
	}
	for _, t := range gone {
		if err := s.db.dropSpaces(ctx, t, t.Indexes); err != nil {
			return err
		}
		if err := s.db.store.Drop(ctx, t.TableSpace()); err != nil {
			return fmt.Errorf("drop table: %w", err)
		}
	}
	return nil
}

// dropSpaces removes the entries of indexes that are in the catalog no more.
func (db *DB) dropSpaces(ctx context.Context, t *catalog.Table, indexes []catalog.Index) error {
	for i := range indexes {
		if err := db.store.Drop(ctx, t.IndexSpace(&indexes[i])); err != nil {
			return fmt.Errorf("drop index: %w", err)
		}
	}
	return nil
}

// createIndex makes an index and fills it before anybody can see it.
func (s *Session) createIndex(ctx context.Context, tree *ast.CreateIndex, c Client) error {
	skipped := false
	err := s.changeSchema(ctx, func(snap *catalog.Snapshot) (put, drop []catalog.Object, err error) {
		p := s.planner(snap)
		t, err := p.Table(tree.Table)
		if err != nil {
			return nil, nil, err
		}
		if tree.Name != "" && t.Index(tree.Name) != nil {
			if skipped = tree.IfNotExists; skipped {
				return nil, nil, nil
			}
			return nil, nil, sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", tree.Name)
		}
		x, err := p.CreateIndex(tree, t, s.ids(ctx))
		if err != nil {
			return nil, nil, err
		}
		t, err = s.build(ctx, t, x)
		return []catalog.Object{t}, nil, err
	})
	if err == nil && skipped {
		return c.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation %q already exists, skipping", tree.Name))
	}
	return err
}

// build learns what the rows look like, and fills the index. It gives the table with it.
func (s *Session) build(ctx context.Context, t *catalog.Table, x *catalog.Index) (*catalog.Table, error) {
	stats, samples, err := s.db.measure(ctx, t, x)
	if err != nil {
		return nil, err
	}
	if x.Method == catalog.ZOrder {
		learnMaps(t, x, stats, samples)
	}
	out := t.WithIndex(*x)
	if stats.Rows > 0 {
		out.Stats = stats
	}
	x = out.Index(x.Name)
	space := out.IndexSpace(x)
	if err := s.db.store.Create(ctx, space); err != nil {
		return nil, fmt.Errorf("create index: %w", err)
	}
	if err := executor.BuildIndex(ctx, s.db.store, s.db.tables, out, x); err != nil {
		_ = s.db.store.Drop(context.WithoutCancel(ctx), space) // what is left is swept at the next start
		return nil, err
	}
	return out, s.db.putStats(ctx, out)
}

// dropIndex removes indexes, named alone or with their table.
func (s *Session) dropIndex(ctx context.Context, tree *ast.DropIndex, c Client) error {
	type owned struct {
		table *catalog.Table
		index catalog.Index
	}
	var gone []owned
	var missing []string
	err := s.changeSchema(ctx, func(snap *catalog.Snapshot) (put, drop []catalog.Object, err error) {
		changed := map[uint32]*catalog.Table{}
		for _, name := range tree.Indexes {
			t, err := s.ownerOf(snap, name, tree.Table)
			if err != nil {
				return nil, nil, err
			}
			if t == nil {
				if !tree.IfExists {
					return nil, nil, sqlerr.New(sqlerr.UndefinedObject, "index %q does not exist", name.Name)
				}
				missing = append(missing, name.Name)
				continue
			}
			gone = append(gone, owned{t, *t.Index(name.Name)})
			if c, ok := changed[t.ID]; ok {
				t = c
			}
			changed[t.ID] = t.WithoutIndex(name.Name)
		}
		for _, t := range changed {
			put = append(put, t)
		}
		return put, nil, nil
	})
	if err != nil {
		return err
	}
	for _, name := range missing {
		if err := c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "index %q does not exist, skipping", name)); err != nil {
			return err
		}
	}
	for _, g := range gone {
		if err := s.db.dropSpaces(ctx, g.table, []catalog.Index{g.index}); err != nil {
			return err
		}
	}
	return nil
}

// ownerOf finds the table of an index. Names of indexes belong to their table, so one
// alone may mean several.
func (s *Session) ownerOf(snap *catalog.Snapshot, name ast.Name, table *ast.Name) (*catalog.Table, error) {
	if table != nil {
		t, err := s.planner(snap).Table(*table)
		if err != nil || t.Index(name.Name) == nil {
			return nil, err
		}
		return t, nil
	}
	var found *catalog.Table
	for _, t := range snap.Tables() {
		if t.Index(name.Name) == nil || name.Schema != "" && name.Schema != t.Schema {
			continue
		}
		if found != nil {
			return nil, sqlerr.New(sqlerr.AmbiguousColumn, "index name %q is ambiguous", name.Name).
				WithHint("Name the table, too: DROP INDEX %s ON %s.", name.Name, found.Name)
		}
		found = t
	}
	return found, nil
}

// describeKey shows the columns of a key.
func describeKey(parts []catalog.Part, name func(id uint32) string) string {
	var out []string
	for _, p := range parts {
		for _, id := range p.Columns() {
			word := name(id)
			if p.Desc {
				word += " DESC"
			}
			out = append(out, word)
		}
	}
	return strings.Join(out, ", ")
}
