package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// reindex runs REINDEX: of one index, or of all of a table, a schema or the database.
func (s *Session) reindex(ctx context.Context, tree *ast.Reindex, c Client) error {
	if tree.Concurrently || tree.Kind == ast.SchemaObject || tree.Kind == ast.DatabaseObject {
		what := map[bool]string{true: " CONCURRENTLY"}[tree.Concurrently]
		if what == "" {
			what = " " + map[ast.ObjectKind]string{ast.SchemaObject: "SCHEMA", ast.DatabaseObject: "DATABASE"}[tree.Kind]
		}
		if err := s.notInBlock("REINDEX" + what); err != nil {
			return err
		}
	}
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	list, err := s.toReindex(change.Snap, tree, c)
	if err != nil {
		return err
	}
	for _, x := range list {
		if _, err := s.txn.Changes(ctx); err != nil {
			return err
		}
		t, _ := s.txn.Changed().Snap.ByID(x.Table.ID).(*catalog.Table)
		if t == nil || t.IndexByID(x.Index.ID) == nil {
			continue
		}
		if goes, err := s.goes(ctx, t.IndexByID(x.Index.ID), tree.Kind == ast.IndexObject); err != nil || goes {
			if err != nil {
				return err
			}
			continue
		}
		if tree.Concurrently {
			err = s.rebuild(ctx, t, t.IndexByID(x.Index.ID), false, c)
		} else {
			err = s.reindexOne(ctx, t, t.IndexByID(x.Index.ID))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// goes says whether an index will be no more when its build has ended, which is an error if it was
// named. It looks apart from the transaction, which might fill an index in bulk.
func (s *Session) goes(ctx context.Context, x *catalog.Index, named bool) (bool, error) {
	var b *catalog.Build
	err := s.db.Apart(ctx, func(txn store.Txn) (err error) {
		b, err = passing(ctx, txn, x.ID)
		return err
	})
	switch {
	case err != nil || b == nil:
		return false, err
	case named && b.Drop:
		return false, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q is being dropped", x.Name)
	case named:
		return false, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q is being built to take the place of another one", x.Name)
	}
	return true, nil
}

// toReindex are the indexes that a REINDEX is about, but for those that are tables.
func (s *Session) toReindex(snap *catalog.Snapshot, tree *ast.Reindex, c Client) ([]catalog.TableIndex, error) {
	var tables []*catalog.Table
	switch tree.Kind {
	case ast.IndexObject:
		t, x, err := s.indexNamed(snap, tree.Name, nil, false, c)
		if err != nil || x == nil {
			return nil, err
		}
		return []catalog.TableIndex{{Table: t, Index: x}}, nil
	case ast.TableObject:
		t, err := s.planner(snap).Table(tree.Name)
		if err == nil {
			err = s.statement(nil).MustOwn(snap, t)
		}
		if err == nil && t.Foreign != nil {
			err = sqlerr.New(sqlerr.WrongObjectType, "%q is not a table or materialized view", t.Name)
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	case ast.SchemaObject:
		schema := snap.Schema(tree.Name.Name)
		if schema == nil {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", tree.Name.Name)
		}
		if err := s.statement(nil).MustOwn(snap, schema); err != nil {
			return nil, err
		}
		tables = snap.Tables()
	default:
		if tree.Name.Name != "" && tree.Name.Name != s.database {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "can only reindex the currently open database")
		}
		tables = snap.Tables()
	}
	var out []catalog.TableIndex
	for _, t := range tables {
		if tree.Kind == ast.SchemaObject && t.Schema != tree.Name.Name || tree.Kind == ast.DatabaseObject && !snap.Owns(s.role(), t) {
			continue
		}
		for i := range t.Indexes {
			if t.Foreign != nil {
				break
			}
			out = append(out, catalog.TableIndex{Table: t, Index: &t.Indexes[i]})
		}
	}
	return out, nil
}

// reindexOne fills an index anew while no other session writes to the table.
func (s *Session) reindexOne(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	if err := s.refuseInUse("REINDEX INDEX", t); err != nil {
		return err
	}
	old := *t.IndexSpace(x)
	id, err := s.statement(nil).NextID(ctx)()
	if err != nil {
		return err
	}
	fresh := *x
	t.TellsDue(&fresh)
	fresh.Loose = t.StartsLoose(&fresh)
	fresh.Space, fresh.State = catalog.NewSpace(id, t.Schema, t.Name, x.Name), catalog.Readable
	if _, _, err := s.fillIndex(ctx, t, &fresh); err != nil {
		return err
	}
	s.txn.DropLater(old)
	txn, err := s.store(ctx, true)
	if err != nil {
		return err
	}
	return catalogstore.DeleteBuild(txn, x.ID)
}
