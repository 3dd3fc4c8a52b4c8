package session

import (
	"context"

	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// scrolling says which rows that were read a portal keeps, so that it can go back.
type scrolling uint8

const (
	forwardOnly scrolling = iota
	someScroll            // as long as they are few: a cursor that says neither SCROLL nor NO SCROLL
	anyScroll
)

// fewRows is how many rows a cursor keeps that did not ask for it.
const fewRows = 10_000

// position is how far the rows of a portal have been read.
type position struct {
	opened bool
	source *rowSource // nil: there are no rows but those kept
	scroll scrolling
	kept   rowList // rows that have been read or are there to be read
	first  int64   // the number of the first of them
	at     int64   // the number of the row that was read last, from 1; 0 is before the first
	ended  bool    // the end has been met
	batch  *types.Batch
}

// open says where the rows come from.
func (p *position) open(source *rowSource, width int) {
	p.opened, p.source, p.first, p.batch = true, source, 1, types.NewBatch(width)
}

// fill makes rows that are there the rows of the portal.
func (p *position) fill(rows rowList, width int) {
	p.open(nil, width)
	p.kept = rows
}

// fillFrom is fill with rows that are there only now.
func (p *position) fillFrom(rows executor.Rows, width int) error {
	p.open(nil, width)
	for batch, err := range rows {
		if err == nil {
			err = p.kept.add(batch)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *position) close() {
	if p.source != nil {
		p.source.close()
		p.source = nil
	}
}

// forward goes n rows on and emits those that it passes.
func (p *position) forward(ctx context.Context, n int64, emit func(*types.Batch) error) (int64, error) {
	count := int64(0)
	for count < n && !p.ended {
		p.batch.Reset(p.batch.Width())
		if err := p.read(ctx, n-count); err != nil {
			return count, err
		}
		got := int64(p.batch.Len())
		p.ended = got == 0
		p.at += got
		count += got
		if got > 0 {
			if err := emit(p.batch); err != nil {
				return count, err
			}
		}
	}
	return count, nil
}

// read puts the next rows into the batch.
func (p *position) read(ctx context.Context, limit int64) error {
	next := p.at + 1 - p.first
	if next < int64(len(p.kept.rows)) {
		for ; limit > 0 && next < int64(len(p.kept.rows)) && !p.batch.Full(); limit-- {
			p.batch.Append(p.kept.rows[next])
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
	if p.scroll == forwardOnly {
		return nil
	}
	err := p.kept.add(p.batch)
	if p.scroll == someScroll && (err != nil || len(p.kept.rows) > fewRows) {
		p.scroll, err = forwardOnly, nil
		p.kept.clear()
	}
	return err
}

var errForwardOnly = sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cursor can only scan forward").
	WithHint("Declare it with SCROLL option to enable backward scan.")

// backward goes n rows back and emits those that it meets, the nearest first. From behind
// the end the last row is the first met.
func (p *position) backward(n int64, emit func(*types.Batch) error) (int64, error) {
	if p.scroll == forwardOnly {
		return 0, errForwardOnly
	}
	from := p.at
	if p.ended {
		from++
	}
	if from == 0 || n <= 0 {
		return 0, nil
	}
	count := min(n, from-1)
	p.at, p.ended = from-count, p.ended && count == 0
	if count < n {
		p.at = 0
	}
	for row := from - 1; row >= from-count; {
		p.batch.Reset(p.batch.Width())
		for ; row >= from-count && !p.batch.Full(); row-- {
			p.batch.Append(p.kept.rows[row-p.first])
		}
		if err := emit(p.batch); err != nil {
			return count, err
		}
	}
	return count, nil
}

// rewind goes before the first row.
func (p *position) rewind() error {
	if p.at == 0 && !p.ended {
		return nil
	}
	if p.scroll == forwardOnly {
		return errForwardOnly
	}
	p.at, p.ended = 0, false
	return nil
}

// skip is for rows that are only passed.
func skip(*types.Batch) error { return nil }

// fetch goes where a FETCH or MOVE says, and emits the rows that it is to deliver.
func (p *position) fetch(ctx context.Context, f *ast.Fetch, emit func(*types.Batch) error) (int64, error) {
	n := f.Count
	switch f.Direction {
	case ast.Backward:
		if n < 0 {
			return p.forward(ctx, -n, emit)
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
	return p.forward(ctx, n, emit)
}

// back is backward, where none means the row that was read last, once more.
func (p *position) back(ctx context.Context, n int64, move bool, emit func(*types.Batch) error) (int64, error) {
	switch {
	case n > 0:
		return p.backward(n, emit)
	case p.at == 0 || p.ended:
		return 0, nil
	case move:
		return 1, nil
	}
	if _, err := p.backward(1, skip); err != nil {
		return 0, err
	}
	return p.forward(ctx, 1, emit)
}

func (p *position) relative(ctx context.Context, n int64, move bool, emit func(*types.Batch) error) (int64, error) {
	switch {
	case n > 0:
		if _, err := p.forward(ctx, n-1, skip); err != nil {
			return 0, err
		}
		return p.forward(ctx, 1, emit)
	case n < 0:
		if _, err := p.backward(-n-1, skip); err != nil {
			return 0, err
		}
		return p.backward(1, emit)
	}
	return p.back(ctx, 0, move, emit)
}

// absolute goes to a row by its number, from the last one backwards when it is negative.
func (p *position) absolute(ctx context.Context, n int64, emit func(*types.Batch) error) (int64, error) {
	if n < 0 {
		if _, err := p.forward(ctx, all, skip); err != nil {
			return 0, err
		}
		return p.relative(ctx, n, false, emit)
	}
	if n <= p.at || n == 0 {
		if err := p.rewind(); err != nil || n == 0 {
			return 0, err
		}
	}
	return p.relative(ctx, n-p.at, false, emit)
}
