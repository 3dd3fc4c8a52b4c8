package session

import (
	"context"
	"slices"
	"time"

	"zproxy/catalog/ddl/database"
	"zproxy/cluster"
	"zproxy/expr"
	"zproxy/store"
)

// databases runs statements about databases.
func (s utilities) databases(c Client) *database.Definer {
	return &database.Definer{Definer: s.reach.definer(c), NotIn: s.txn.NotIn, Server: serving{&s.parts},
		Tables: s.db.tables, Units: s.settings.BuildUnits,
		Values: func(ctx context.Context) *expr.Context { return s.reach.context(ctx, nil) }}
}

// serving implements database.Server.
type serving struct{ *parts }

// Used implements database.Server.
func (s serving) Used() []string { return s.db.sessions.names() }

// The pauses between two looks at who uses a database, and for how long that is looked at, as in PostgreSQL.
const (
	usersPause = 100 * time.Millisecond
	usersWait  = 5 * time.Second
)

// Alone implements database.Server.
func (s serving) Alone(ctx context.Context, id uint32, end bool) (release func(), others int, err error) {
	r := &s.db.sessions
	r.close(id)
	release = func() { r.open(id) }
	if end {
		r.end(id)
	}
	for until := time.Now().Add(usersWait); ; {
		if others = r.left(id, s.parts); others == 0 || time.Now().After(until) {
			return release, others, nil
		}
		if err := store.Sleep(ctx, usersPause); err != nil {
			release()
			return nil, 0, context.Cause(ctx)
		}
	}
}

// In implements database.Server.
func (s serving) In(ctx context.Context, id uint32, f func(*cluster.Transaction) error) error {
	return s.db.of(id).internally(func(own *Session) error {
		defer own.txn.Rollback()
		if err := own.txn.Retry(func() error { return f(&own.txn.Transaction) }); err != nil {
			return err
		}
		return own.txn.Commit(ctx)
	})
}

// closeDatabases keeps sessions from beginning in databases that another process drops, of which it ends the sessions
// of some, and lets them begin in all others. It says how many use them.
func (v *server) closeDatabases(frozen, closed []uint32) (using int) {
	whole := v.node.Whole()
	var now []uint32
	for _, id := range frozen {
		if whole.DatabaseByID(id) != nil {
			now = append(now, id)
		}
	}
	v.databases.mu.Lock()
	before := v.databases.shut
	v.databases.shut = now
	v.databases.mu.Unlock()
	for _, id := range now {
		if !slices.Contains(before, id) {
			v.sessions.close(id)
			if slices.Contains(closed, id) {
				v.sessions.end(id)
			}
		}
		using += v.sessions.left(id, nil)
	}
	for _, id := range before {
		if !slices.Contains(now, id) {
			v.sessions.open(id)
		}
	}
	return using
}
