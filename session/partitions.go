package session

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/rollover"
	"zproxy/sqlerr"
	"zproxy/store"
)

const (
	// partitionRounds is how often a process looks for which partitions it is time. Each of several processes does, and
	// the one that is first changes the schema.
	partitionRounds = time.Minute
	// partitionRest is how long a table is left alone of whose work something could not be done.
	partitionRest = time.Hour
)

// partitionKeeper makes the partitions of tables ahead, moves them to the class of cold rows and drops them.
type partitionKeeper struct {
	db   *DB
	once sync.Once
	rest map[uint32]time.Time // until when tables are left alone

	exporter partitionExporter
}

// start starts the rounds once there is a table with a schedule.
func (k *partitionKeeper) start() {
	k.exporter.start()
	if slices.ContainsFunc(k.db.Snapshot().Tables(), func(t *catalog.Table) bool { return rollover.Of(t) != nil }) {
		k.once.Do(func() {
			k.db.Background.Run(func(ctx context.Context) { k.db.Background.Again(ctx, partitionRounds, k.round) })
		})
	}
}

// round does what it is time for with the partitions of all tables.
func (k *partitionKeeper) round(ctx context.Context) {
	for _, t := range k.db.Snapshot().Tables() {
		if s := rollover.Of(t); s != nil && !k.db.now().Before(k.rest[t.ID]) {
			k.keep(ctx, s, t.ID)
		}
	}
}

// keep does what it is time for with the partitions of a table, a step in each transaction, until nothing is left or a
// step changes nothing.
func (k *partitionKeeper) keep(ctx context.Context, s *rollover.Schedule, table uint32) {
	work := func() (rollover.Work, bool) {
		snap := k.db.Snapshot()
		t, ok := snap.ByID(table).(*catalog.Table)
		if !ok {
			return rollover.Work{}, false
		}
		return s.Work(snap, t, k.db.now()), true
	}
	for before, there := work(); there && before.Left() > 0; {
		err := k.step(ctx, table)
		if ctx.Err() != nil || errors.Is(err, store.ErrClosed) {
			return
		}
		if errors.Is(err, store.ErrConflict) { // perhaps of another process with the same in mind
			return
		}
		if err != nil {
			k.db.Log.Warn("keeping partitions", "table", table, "error", err)
		}
		after, still := work()
		if err != nil || still && after.Left() == before.Left() {
			k.rest[table] = k.db.now().Add(partitionRest)
			return
		}
		before, there = after, still
	}
}

// step does what can be done in one transaction.
func (k *partitionKeeper) step(ctx context.Context, table uint32) error {
	return k.db.internally(func(s *Session) error {
		defer s.txn.Rollback()
		if err := s.reach.tables(noticeLog{log: k.db.Log}).KeepSchedule(ctx, table); err != nil {
			return err
		}
		return s.txn.Commit(ctx)
	})
}

// noticeLog is a client that is told nothing but notices, which it logs.
type noticeLog struct {
	Client
	log *slog.Logger
}

// Notice implements Client.
func (c noticeLog) Notice(n *sqlerr.Error) error {
	c.log.Warn("keeping partitions", "message", n.Message, "detail", n.Detail)
	return nil
}
