package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/partition"
	"zproxy/catalog/rollover"
	"zproxy/expr"
	"zproxy/session/export"
	"zproxy/sqlerr"
	"zproxy/store"
)

// partitionExporter writes the rows of old partitions to files. It is not the partitionKeeper, whose partitions must be
// there in time, however long a file takes.
//
// The catalog has first which process writes which file, then that the file is there. Between the two another process
// leaves the partition alone as long as that one lives.
type partitionExporter struct {
	db   *DB
	dir  *export.Dir // nil: this process exports nothing
	once sync.Once
	rest map[uint32]time.Time // until when tables and partitions are left alone
}

// start starts the rounds once there is a table whose partitions are exported.
func (x *partitionExporter) start() {
	if slices.ContainsFunc(x.db.Snapshot().Tables(), func(t *catalog.Table) bool {
		s := rollover.Of(t)
		return s != nil && s.Export != nil
	}) {
		x.once.Do(func() {
			x.db.Background.Run(func(ctx context.Context) { x.db.Background.Again(ctx, partitionRounds, x.round) })
		})
	}
}

// round exports the partitions that are old enough.
func (x *partitionExporter) round(ctx context.Context) {
	snap, now := x.db.Snapshot(), x.db.now()
	for _, t := range snap.Tables() {
		s := rollover.Of(t)
		if s == nil || s.Export == nil || now.Before(x.rest[t.ID]) {
			continue
		}
		work := s.Work(snap, t, now).Export
		if len(work) > 0 && x.dir == nil {
			x.db.Log.Warn("partitions are not exported by this process, which has no directory for them", "table", t.Name,
				"partitions", len(work))
			x.rest[t.ID] = now.Add(partitionRest)
			continue
		}
		for _, p := range work {
			if ctx.Err() == nil && !now.Before(x.rest[p.ID]) {
				x.export(ctx, p)
			}
		}
	}
}

// export exports a partition, unless another process does. What could not be done is tried again later.
func (x *partitionExporter) export(ctx context.Context, p *catalog.Table) {
	mine, err := x.claim(ctx, p)
	if err == nil && mine != nil {
		x.db.Log.Info("exporting a partition by export_after", "partition", p.Name, "file", mine.File)
		next := *mine
		if err = x.write(ctx, p, mine.File); err == nil {
			next.Done = true
			err = x.note(ctx, p.ID, mine, &next)
		} else if ctx.Err() == nil {
			err = errors.Join(err, x.note(ctx, p.ID, mine, nil))
		}
	}
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, store.ErrClosed), errors.Is(err, store.ErrConflict):
	default:
		x.db.Log.Warn("exporting a partition", "partition", p.Name, "error", err)
		x.rest[p.ID] = x.db.now().Add(partitionRest)
	}
}

// claim notes that this process exports a partition, and gives the note; nil: another process does.
func (x *partitionExporter) claim(ctx context.Context, p *catalog.Table) (*partition.Export, error) {
	before := p.PartitionOf.Export
	mine := &partition.Export{By: x.db.MemberID()}
	if before == nil {
		mine.File = export.Name(p.Schema, p.Name, p.ID, x.db.now())
	} else {
		mine.File = before.File
		if alive, err := x.alive(ctx, before.By); err != nil || alive {
			return nil, err
		}
	}
	return mine, x.note(ctx, p.ID, before, mine)
}

// alive says whether another process is alive.
func (x *partitionExporter) alive(ctx context.Context, process uint64) (bool, error) {
	if !x.db.Shared() || process == x.db.MemberID() {
		return false, nil
	}
	living, err := x.db.Living(ctx)
	return slices.ContainsFunc(living, func(m catalogstore.Member) bool { return m.ID == process }), err
}

// note changes what the catalog has of the export of a partition, unless that is not what it was.
func (x *partitionExporter) note(ctx context.Context, table uint32, before, next *partition.Export) error {
	return x.db.internally(func(s *Session) error {
		defer s.txn.Rollback()
		return s.txn.Retry(func() error { return s.noteExport(ctx, table, before, next) })
	})
}

// noteExport changes what the catalog has of the export of a partition.
func (s *Session) noteExport(ctx context.Context, table uint32, before, next *partition.Export) error {
	change, err := s.txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, ok := change.Snap.ByID(table).(*catalog.Table)
	if !ok || t.PartitionOf == nil {
		return nil // it was dropped or detached meanwhile
	}
	now := t.PartitionOf.Export
	if (now == nil) != (before == nil) || now != nil && *now != *before {
		return fmt.Errorf("another process exports partition %q: %w", t.Name, store.ErrConflict)
	}
	noted, of := *t, *t.PartitionOf
	of.Export, noted.PartitionOf = next, &of
	if err := s.txn.Put(ctx, &noted); err != nil {
		return err
	}
	return s.txn.Commit(ctx)
}

// exportSettings let a session read all rows of a table, as they are, however long that takes.
const exportSettings = "SET statement_timeout = 0; SET zproxy.full_scan = 'allow'; SET zproxy.max_read_units = 0; " +
	"SET zproxy.max_rows_read = 0; SET zproxy.read_consistency = 'strong'"

// write writes the rows of a partition to a file, as COPY does.
func (x *partitionExporter) write(ctx context.Context, p *catalog.Table, name string) error {
	file, err := x.dir.Create(name)
	if err != nil {
		return err
	}
	c := &exportClient{file: file}
	err = x.db.internally(func(s *Session) error {
		if err := s.Query(ctx, exportSettings, c); err != nil {
			return err
		}
		return s.Query(ctx, "COPY "+expr.QuoteIdent(p.Schema)+"."+expr.QuoteIdent(p.Name)+
			" TO STDOUT (FORMAT csv, HEADER)", c)
	})
	if err != nil {
		return errors.Join(err, file.Discard())
	}
	return file.Commit()
}

// exportClient is the client of a COPY whose data go to a file.
type exportClient struct {
	Client
	file *export.File
}

// Done implements Client.
func (*exportClient) Done(Outcome) error { return nil }

// Notice implements Client.
func (*exportClient) Notice(*sqlerr.Error) error { return nil }

// CopyOut implements Client.
func (c *exportClient) CopyOut(CopyFormat) (io.WriteCloser, error) { return exportData{c.file}, nil }

// exportData are the rows of a COPY. Their end is not that of the file.
type exportData struct{ io.Writer }

// Close implements io.Closer.
func (exportData) Close() error { return nil }
