package session

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/session/identity"
)

// temporaryID is the OID of the session's schema of temporary relations, 0 without one.
func (r *reach) temporaryID() uint32 {
	if schema := r.txn.Schema().Schema(r.txn.Temporary); schema != nil {
		return schema.ID
	}
	return 0
}

// dropTemporary drops all that is temporary, as part of the transaction.
func (s utilities) dropTemporary(ctx context.Context) error {
	if s.txn.Schema().Schema(s.txn.Temporary) == nil {
		return nil
	}
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema := change.Snap.Schema(s.txn.Temporary)
	if schema == nil {
		return nil // it went with its database
	}
	return s.reach.definer(nil).Drop(ctx, []ddl.Target{{Object: schema}}, true)
}

// endsAtCommit notes what becomes of a temporary table at each commit.
func (r *reach) endsAtCommit(table uint32, becomes ast.OnCommit) {
	if r.atCommit == nil {
		r.atCommit = map[uint32]ast.OnCommit{}
	}
	r.atCommit[table] = becomes
}

// endTemporaryTables drops or empties temporary tables, as part of the transaction that is about to be committed.
func (s *Session) endTemporaryTables(ctx context.Context) error {
	if len(s.atCommit) == 0 {
		return nil
	}
	return s.txn.Retry(func() error {
		for _, id := range slices.Sorted(maps.Keys(s.atCommit)) {
			t, ok := s.txn.Schema().ByID(id).(*catalog.Table)
			switch {
			case !ok && s.db.Snapshot().ByID(id) == nil:
				delete(s.atCommit, id) // it was dropped, or its creation undone
			case !ok:
			case s.atCommit[id] == ast.DropAtCommit:
				if err := s.dropAtCommit(ctx, t); err != nil {
					return err
				}
			case slices.ContainsFunc(s.txn.Wrote, func(w *catalog.Table) bool { return w.ID == id }):
				if err := s.reach.tables(nil).Empty(ctx, t); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (s *Session) dropAtCommit(ctx context.Context, t *catalog.Table) error {
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	return s.reach.definer(nil).Drop(ctx, []ddl.Target{{Object: t}}, true)
}

// endTemporary drops all that is temporary, at the end of the session.
func (s *Session) endTemporary() {
	const patience = 10 * time.Second // for a schema change of another session
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.txn.Retry(func() error { return s.utilities.dropTemporary(ctx) })
	if err == nil && s.txn.Changed() != nil {
		err = s.txn.Commit(ctx)
	}
	if err != nil {
		s.txn.Rollback()
		s.db.Log.Warn("temporary tables are left", "schema", s.txn.Temporary, "error", err)
	}
}

// sweepTemporary drops what is temporary of sessions that did not live to do so.
func (db *DB) sweepTemporary() error {
	for _, schema := range db.Snapshot().Schemas() {
		if !strings.HasPrefix(schema.Name, catalog.TemporaryPrefix) {
			continue
		}
		if err := db.dropTemporary(schema.Name); err != nil {
			return err
		}
	}
	return nil
}

// dropTemporary drops a temporary schema whose session did not live to do so.
func (db *DB) dropTemporary(schema string) error {
	return db.internally(func(s *Session) error {
		s.txn.Temporary = schema // it ends with the session
		return nil
	})
}

// internally does something in a session of the program itself.
func (db *DB) internally(f func(*Session) error) error {
	s, err := db.Connect(Startup{
		User: identity.BootstrapName, Database: db.name(), Internal: true,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s)
}
