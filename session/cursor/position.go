// Package cursor keeps the position in the rows of a portal: rows are read as messages ask for them, and are kept
// within a budget, so that a cursor can go back. It knows no statements and no transaction; a portal of session
// opens it. Read Position first.
package cursor

import (
	"context"
	"math"

	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Scrolling says which rows that were read a portal keeps, so that it can go back.
type Scrolling uint8

// What a portal keeps: no rows, rows as long as they are few, or all.
const (
	ForwardOnly Scrolling = iota
	FewRows               // of a cursor that says neither SCROLL nor NO SCROLL
	AnyRows
)

// fewRows is how many rows a cursor keeps that did not ask for it.
const fewRows = 10_000

// Position is how far the rows of a portal have been read.
type Position struct {
	began  bool
	source *source // nil: there are no rows but those kept
	Scroll Scrolling
	Kept   Rows  // rows that have been read or are there to be read
	first  int64 // the number of the first of them
	At     int64 // the number of the row that was read last, from 1; 0 is before the first
	ended  bool  // the end has been met
	batch  *types.Batch
	// Delivered, if not nil, is told the last column of each row that was read, which is not part of the row.
	Delivered func(types.Value)
	// Hidden is how many of the last columns are not emitted, but kept of the row that was emitted last: Current.
	Hidden  int
	Current types.Row
}

// On says whether the position is on a row.
func (p *Position) On() bool { return p.At > 0 && !p.ended }

// out emits rows without their hidden columns.
func (p *Position) out(rows *types.Batch, emit func(*types.Batch) error) error {
	if p.Hidden == 0 || rows.Len() == 0 {
		return emit(rows)
	}
	width := rows.Width() - p.Hidden
	shown := types.NewBatch(width)
	for i := range rows.Len() {
		shown.Append(rows.Row(i)[:width])
	}
	p.Current = append(p.Current[:0], rows.Row(rows.Len() - 1)[width:]...)
	return emit(shown)
}

// ChargeTo says who pays for the rows that are kept.
func (p *Position) ChargeTo(b *Budget) { p.Kept.Budget = b }

// List is an empty list of rows, which the same budget pays for.
func (p *Position) List() Rows { return Rows{Budget: p.Kept.Budget} }

// Opened says whether it is known where the rows come from.
func (p *Position) Opened() bool { return p.began }

// Open says where the rows come from. Reading them goes on when the context's message is over.
func (p *Position) Open(ctx context.Context, run func(context.Context) executor.Rows, width int) {
	source := newSource(ctx, run)
	source.delivered = p.Delivered
	p.from(source, width)
}

// Ended says whether the end was met.
func (p *Position) Ended() bool { return p.ended }

func (p *Position) from(source *source, width int) {
	p.began, p.source, p.first, p.batch = true, source, 1, types.NewBatch(width)
}

// Passed notes rows that were read without the position.
func (p *Position) Passed(rows int) { p.At += int64(rows) }

// End notes that all rows were read so.
func (p *Position) End() { p.began, p.ended = true, true }

// Fill makes rows that are there the rows of the portal.
func (p *Position) Fill(rows Rows, width int) {
	p.from(nil, width)
	p.Kept = rows
}

// FillFrom is fill with rows that are there only now.
func (p *Position) FillFrom(rows executor.Rows, width int) error {
	p.from(nil, width)
	for batch, err := range rows {
		if err == nil {
			err = p.Kept.Add(batch)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends the reading. Rows that are kept stay.
func (p *Position) Close() {
	if p.source != nil {
		p.source.close()
		p.source = nil
	}
}

// Forward goes n rows on and emits those that it passes.
func (p *Position) Forward(ctx context.Context, n int64, emit func(*types.Batch) error) (int64, error) {
	count := int64(0)
	for count < n && !p.ended {
		p.batch.Reset(p.batch.Width())
		if err := p.read(ctx, n-count); err != nil {
			return count, err
		}
		got := int64(p.batch.Len())
		p.ended = got == 0
		p.At += got
		count += got
		if got > 0 {
			if err := p.out(p.batch, emit); err != nil {
				return count, err
			}
		}
	}
	return count, nil
}

// read puts the next rows into the batch.
func (p *Position) read(ctx context.Context, limit int64) error {
	next := p.At + 1 - p.first
	if next < int64(len(p.Kept.rows)) {
		for ; limit > 0 && next < int64(len(p.Kept.rows)) && !p.batch.Full(); limit-- {
			p.batch.Append(p.Kept.rows[next])
			next++
		}
		return nil
	}
	if p.source == nil {
		return nil
	}
	if err := p.source.take(ctx, limit, p.batch); err != nil {
		return err
	}
	if p.Scroll == ForwardOnly {
		return nil
	}
	err := p.Kept.Add(p.batch)
	if p.Scroll == FewRows && (err != nil || len(p.Kept.rows) > fewRows) {
		p.Scroll, err = ForwardOnly, nil
		p.Kept.Clear()
	}
	return err
}

var errForwardOnly = sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cursor can only scan forward").
	WithHint("Declare it with SCROLL option to enable backward scan.")

// backward goes n rows back and emits those that it meets, the nearest first. From behind
// the end the last row is the first met.
func (p *Position) backward(n int64, emit func(*types.Batch) error) (int64, error) {
	if p.Scroll == ForwardOnly {
		return 0, errForwardOnly
	}
	from := p.At
	if p.ended {
		from++
	}
	if from == 0 || n <= 0 {
		return 0, nil
	}
	count := min(n, from-1)
	p.At, p.ended = from-count, p.ended && count == 0
	if count < n {
		p.At = 0
	}
	for row := from - 1; row >= from-count; {
		p.batch.Reset(p.batch.Width())
		for ; row >= from-count && !p.batch.Full(); row-- {
			p.batch.Append(p.Kept.rows[row-p.first])
		}
		if err := p.out(p.batch, emit); err != nil {
			return count, err
		}
	}
	return count, nil
}

// rewind goes before the first row.
func (p *Position) rewind() error {
	if p.At == 0 && !p.ended {
		return nil
	}
	if p.Scroll == ForwardOnly {
		return errForwardOnly
	}
	p.At, p.ended = 0, false
	return nil
}

// Skip is for rows that are only passed.
func Skip(*types.Batch) error { return nil }

// Fetch goes where a FETCH or MOVE says, and emits the rows that it is to deliver.
func (p *Position) Fetch(ctx context.Context, f *ast.Fetch, emit func(*types.Batch) error) (int64, error) {
	n := f.Count
	switch f.Direction {
	case ast.Backward:
		if n < 0 {
			return p.Forward(ctx, -n, emit)
		}
		return p.back(ctx, n, f.Move, emit)
	case ast.Absolute:
		return p.absolute(ctx, n, emit)
	case ast.Relative:
		return p.relative(ctx, n, f.Move, emit)
	}
	if n <= 0 {
		return p.back(ctx, -n, f.Move, emit)
	}
	return p.Forward(ctx, n, emit)
}

// back is backward, where none means the row that was read last, once more.
func (p *Position) back(ctx context.Context, n int64, move bool, emit func(*types.Batch) error) (int64, error) {
	switch {
	case n > 0:
		return p.backward(n, emit)
	case p.At == 0 || p.ended:
		return 0, nil
	case move:
		return 1, nil
	}
	if _, err := p.backward(1, Skip); err != nil {
		return 0, err
	}
	return p.Forward(ctx, 1, emit)
}

func (p *Position) relative(ctx context.Context, n int64, move bool, emit func(*types.Batch) error) (int64, error) {
	switch {
	case n > 0:
		if _, err := p.Forward(ctx, n-1, Skip); err != nil {
			return 0, err
		}
		return p.Forward(ctx, 1, emit)
	case n < 0:
		if _, err := p.backward(-n-1, Skip); err != nil {
			return 0, err
		}
		return p.backward(1, emit)
	}
	return p.back(ctx, 0, move, emit)
}

// absolute goes to a row by its number, from the last one backwards when it is negative.
func (p *Position) absolute(ctx context.Context, n int64, emit func(*types.Batch) error) (int64, error) {
	if n < 0 {
		if _, err := p.Forward(ctx, All, Skip); err != nil {
			return 0, err
		}
		return p.relative(ctx, n, false, emit)
	}
	if n <= p.At || n == 0 {
		if err := p.rewind(); err != nil || n == 0 {
			return 0, err
		}
	}
	return p.relative(ctx, n-p.At, false, emit)
}

// Hold reads the rows that are left, and stays where it is.
func (p *Position) Hold(ctx context.Context) error {
	if p.source == nil {
		return nil
	}
	at, ended := p.At, p.ended
	if p.Scroll == ForwardOnly {
		p.first = at + 1
	}
	scroll := p.Scroll
	p.Scroll = AnyRows
	_, err := p.Forward(ctx, All, Skip)
	p.Scroll, p.At, p.ended = scroll, at, ended
	p.Close()
	return err
}

// All is a number of rows that there never are.
const All = math.MaxInt64
