package executor

import (
	"context"
	"iter"

	"zproxy/planner/plan"
	"zproxy/types"
)

// A load writes the rows that a client streams into an Insert in parts, each in a transaction of its
// own: first rows are staged one by one, then parts of them are written, several at once if need be.

// Staged is a row as it will be written, with the line of the client's data that it is from.
type Staged struct {
	Row   types.Row
	Line  int64
	Bytes int64 // that it takes in memory
}

// Stage delivers the rows that a client streams into an Insert, complete and checked. Of a window of
// them, wherever it begins, no two have a key that only one may have.
func Stage(ctx context.Context, n plan.Insert, env *Env, window int) iter.Seq2[Staged, error] {
	return func(yield func(Staged, error) bool) {
		f := frame{ctx: ctx, env: env}
		f.bind()
		in, err := newInserters(f, n, newReturned(f, n))
		if err != nil {
			yield(Staged{}, err)
			return
		}
		kept := slab{width: len(n.Table.Columns)}
		// What the last rows have taken, a window of them at least, and what those since it was begun anew.
		last, latest, count := newClaims(window), newClaims(window), 0
		for batch, err := range f.input(n.Input) {
			for i := 0; err == nil && i < batch.Len(); i++ {
				if count++; count%window == 0 {
					last, latest, kept = latest, newClaims(window), slab{width: kept.width}
				}
				row := kept.keep(batch.Row(i))
				if err = in.stage(row, last, latest); err == nil &&
					!yield(Staged{row, env.line(), rowBytes(row)}, nil) {
					return
				}
			}
			if err != nil {
				yield(Staged{}, err)
				return
			}
		}
	}
}

// stage completes a row, and finds what is wrong with it that no look at the store is needed for.
func (s inserters) stage(row types.Row, last, latest *claims) error {
	in, err := s.leaf(row)
	if err == nil {
		_, err = in.complete(row) // no triggers fire
	}
	if err != nil {
		return err
	}
	c := change{new: row}
	at, err := in.leave([]change{c})
	if err == nil {
		_, err = in.claim(c, at, last)
	}
	if err == nil {
		_, err = in.claim(c, at, latest)
	}
	if err != nil {
		return AtLine(err, in.env.line())
	}
	return nil
}

// Load writes staged rows. The writes are in the transaction, which the caller commits.
func Load(ctx context.Context, n plan.Insert, rows []Staged, env *Env) error {
	env.Parallel = 1
	f := frame{ctx: ctx, env: env}
	f.bind()
	in, err := newInserters(f, n, newReturned(f, n))
	if err != nil {
		return err
	}
	list, lines := make([]types.Row, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		list[i], lines[i] = r.Row, r.Line
	}
	if err := in.insert(list, lines); err != nil {
		return err
	}
	return keyKeeper{f}.keepAll()
}

// Unwritten are those of staged rows that are not there as they are. It is for a part of a load of
// which it is not known what was written of it: its rows had keys that were free.
func Unwritten(ctx context.Context, n plan.Insert, rows []Staged, env *Env) ([]Staged, error) {
	w, err := newLeaves(frame{ctx: ctx, env: env}, n.Keeps(), n.Checks, n.Partitions)
	if err != nil {
		return nil, err
	}
	of := map[*writer][]Staged{}
	for _, r := range rows {
		leaf, err := w.leaf(r.Row)
		if err != nil {
			return nil, err
		}
		of[leaf] = append(of[leaf], r)
	}
	var out []Staged
	for leaf, rows := range of {
		left, err := leaf.unwritten(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, left...)
	}
	return out, nil
}

// unwritten is Unwritten for the rows of one table.
func (w *writer) unwritten(rows []Staged) ([]Staged, error) {
	list := make([]types.Row, len(rows))
	for i, r := range rows {
		list[i] = r.Row
	}
	there, _, err := w.holders(w.table.rows, list)
	if err != nil {
		return nil, err
	}
	var out []Staged
	for i, row := range there {
		written := false
		if row != nil {
			if written, err = (timed{w}).holdsAlready(row, list[i]); err != nil {
				return nil, err
			}
		}
		if !written {
			out = append(out, rows[i])
		}
	}
	return out, nil
}
