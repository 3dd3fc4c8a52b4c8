package backfill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/executor"
	"zproxy/internal/routine"
	"zproxy/store"
)

// unitsOfRow is the least that the entry of a row costs where the store charges units: it is put together with the
// row, which is written back, and two writes that are made together cost two units each.
const unitsOfRow = 4

// fill makes the entries of some rows in each segment, in as many segments at once as the bounds of the build allow.
// If the rows are in another space than those before, they have been written anew, and it begins at the front.
//
// One segment is committed together with the position in it. The entries of several are committed first, each in a
// transaction of its own, and the positions behind them: where that fails, or the process ends, the entries are made
// again, which changes nothing.
func (s *step) fill(ctx context.Context) (int, error) {
	table, err := s.Catalog.Indexed(s.snap, s.table)
	if err != nil {
		return 0, err
	}
	next := *s.build
	next.Segments = slices.Clone(next.Segments)
	if next.Space != s.table.Space.ID || len(next.Segments) == 0 {
		next.Space, next.Segments, next.Done = s.table.Space.ID, make([]*store.Key, max(s.Segments, 1)), 0
	}
	if !slices.ContainsFunc(next.Segments, unfinished) {
		return 0, s.moveTo(ctx, catalog.Validate) // a transaction of an older version was in the way before
	}
	r := s.round(&next)
	r.fill.Table = table
	rows, err := r.make(ctx)
	if rows == 0 && err != nil {
		return 0, err
	}
	next.Done += int64(rows)
	if err := catalogstore.PutBuild(s.txn, &next); err != nil {
		return 0, err
	}
	err = cmp.Or(s.Catalog.Commit(ctx, s.table, s.txn), err)
	if err != nil || slices.ContainsFunc(next.Segments, unfinished) {
		return rows, err
	}
	return rows, s.moveTo(ctx, catalog.Validate)
}

// unfinished says whether a position in a segment is before its end.
func unfinished(at *store.Key) bool { return at == nil || len(at.Partition) > 0 || len(at.Sort) > 0 }

// round is the rows whose entries one step makes.
type round struct {
	*step
	fill     executor.Fill
	segments []*store.Key // all of them, with the positions that the round gets to
	chosen   []int        // those that it reads
}

// round chooses as many rows and segments as take about a second within the bounds of the build.
func (s *step) round(b *catalog.Build) *round {
	most, width := s.fits(s.pace.Most), len(b.Segments)
	rows := b.Most.Rows
	if units := max(b.Most.Units/unitsOfRow, 1); b.Most.Units > 0 && (rows == 0 || units < rows) {
		rows = units
	}
	if rows > 0 {
		most = int(min(int64(most), rows))
		width = max(1, min(width, int(rows)/most))
	}
	r := &round{step: s, segments: b.Segments}
	r.fill = executor.Fill{Index: s.index, Most: most, Now: s.Now(), Guard: s.Guard}
	for i := range b.Segments {
		if unfinished(b.Segments[i]) && len(r.chosen) < width {
			r.chosen = append(r.chosen, i)
		}
	}
	return r
}

// fits is how many of some rows a transaction takes with their entries, the rows that are written
// back, and how far the build is.
func (s *step) fits(rows int) int {
	if s.MostWrites == 0 {
		return rows
	}
	each := 1
	if s.Guard {
		each = 2
	}
	return max(1, min(rows, (s.MostWrites-1)/each))
}

// make makes the entries, and says of how many rows. It is a conflict if one of the segments has met one and no more
// than half of them have got on; then there are rows nevertheless.
func (r *round) make(ctx context.Context) (rows int, err error) {
	if len(r.segments) == 1 {
		return r.chunk(ctx, 0, r.txn)
	}
	type outcome struct {
		rows int
		err  error
	}
	outcomes := make([]outcome, len(r.chosen))
	part := func(i int) error {
		outcomes[i].rows, outcomes[i].err = r.alone(ctx, r.chosen[i])
		return nil
	}
	if len(r.chosen) == 1 {
		err = part(0)
	} else {
		team, _ := routine.NewTeam(ctx, len(r.chosen)) // an error of one does not end the commits of the others
		for i := range r.chosen {
			team.Start(func() error { return part(i) })
		}
		err = team.Wait()
	}
	var conflict error
	conflicts := 0
	for _, o := range outcomes {
		rows += o.rows
		switch {
		case errors.Is(o.err, store.ErrConflict):
			conflict = o.err
			conflicts++
		case err == nil:
			err = o.err
		}
	}
	if err == nil && 2*conflicts >= len(outcomes) {
		err = conflict
	}
	return rows, err
}

// alone makes the entries of some rows of a segment in a transaction of its own.
func (r *round) alone(ctx context.Context, segment int) (int, error) {
	stats := &store.Stats{}
	txn, snap, err := r.Catalog.Begin(ctx, store.Mode{Stats: stats})
	if err != nil {
		return 0, err
	}
	defer txn.Rollback()
	defer r.pace.Limit.Take(stats)
	if snap.ByID(r.table.ID) != catalog.Relation(r.table) {
		// The transaction counts as one of the newer schema, so it must not write by the older table.
		return 0, fmt.Errorf("table %q has changed: %w", r.table.Name, store.ErrConflict)
	}
	before := r.segments[segment]
	rows, err := r.chunk(ctx, segment, txn)
	if err == nil && rows > 0 {
		err = r.Catalog.Commit(ctx, r.table, txn)
	}
	if err != nil {
		r.segments[segment] = before
		return 0, err
	}
	return rows, nil
}

// chunk makes the entries of the next rows of a segment in a transaction, and moves the position in it.
func (r *round) chunk(ctx context.Context, segment int, txn store.Txn) (int, error) {
	f := r.fill
	f.After = r.segments[segment]
	if n := len(r.segments); n > 1 {
		f.Range = f.Range.Segmented(n)[segment]
	}
	done, err := f.Do(ctx, txn, r.Tables)
	r.pace.Limit.Take(&done.Stats)
	if err != nil {
		return 0, err
	}
	if r.segments[segment] = done.Last; done.Rows < f.Most {
		r.segments[segment] = &store.Key{}
	}
	return done.Rows, nil
}
