package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"zproxy/internal/routine"
	"zproxy/store"
	"zproxy/store/overlay"
)

// tables makes tables of the runs of a bulk transaction. A run whose keys are behind those before it goes on with the
// last table of its space; another begins a new stack.
type tables struct {
	store  *Store
	jobs   chan *run
	done   chan *run // those that were taken, for their memory; closed at the end
	spaces map[store.SpaceID]*stacks
	failed atomic.Pointer[error]
	ended  bool // no more jobs come
}

// stacks are tables of a space.
type stacks struct {
	of       []*stack
	last     []byte // the last key of the last one
	isSingle bool   // there are keys that must not be there twice
}

func newTables(s *Store) *tables {
	t := &tables{store: s, jobs: make(chan *run, 1), done: make(chan *run, 3), spaces: map[store.SpaceID]*stacks{}}
	routine.Go(func() {
		defer close(t.done)
		for r := range t.jobs {
			if t.failed.Load() == nil {
				if err := routine.Do(func() error { return t.add(r) }); err != nil {
					t.failed.Store(&err)
				}
			}
			t.done <- r
		}
	}, s.broke)
	return t
}

// take takes a run, and gives an empty one in its place.
func (t *tables) take(r *run) (*run, error) {
	if err := t.failed.Load(); err != nil {
		return r, *err
	}
	next := &run{}
	select {
	case old := <-t.done:
		next.data, next.items = old.data[:0], old.items[:0]
	default:
	}
	next.space, next.rising = r.space, true
	t.jobs <- r
	return next, nil
}

// add writes a run to tables.
func (t *tables) add(r *run) error {
	if len(r.items) == 0 {
		return nil
	}
	s := t.spaces[r.space]
	if s == nil {
		s = &stacks{}
		t.spaces[r.space] = s
	}
	r.sort()
	if first := r.keyOf(&r.items[0]); s.last == nil || bytes.Compare(first, s.last) <= 0 {
		if err := s.end(); err != nil {
			return err
		}
		s.of = append(s.of, &stack{store: t.store, space: r.space})
	}
	top := s.of[len(s.of)-1]
	return r.last(func(i *runItem) error {
		s.isSingle = s.isSingle || i.isSingle
		key := r.keyOf(i)
		s.last = append(s.last[:0], key...)
		return top.add(key, r.valueOf(i), i.deleted)
	})
}

// end ends the last table.
func (s *stacks) end() error {
	if len(s.of) == 0 {
		return nil
	}
	return s.of[len(s.of)-1].end()
}

// wait waits until all runs are in tables.
func (t *tables) wait() (err error) {
	if t.ended {
		return nil
	}
	t.ended = true
	close(t.jobs)
	for range t.done {
		continue
	}
	if failed := t.failed.Load(); failed != nil {
		err = *failed
	}
	for _, s := range t.spaces {
		err = errors.Join(err, s.end())
	}
	return err
}

// finish gives the files of the tables: in each round those that do not overlap, later ones above those before.
func (t *tables) finish() (rounds [][]string, err error) {
	if err := t.wait(); err != nil {
		return nil, err
	}
	for _, s := range t.spaces {
		if s.isSingle && len(s.of) > 1 {
			if err := t.store.findTwice(s.of); err != nil {
				return nil, err
			}
		}
		for i, top := range s.of {
			if i == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[i] = append(rounds[i], top.files...)
		}
	}
	return rounds, nil
}

// remove removes what is not part of the database.
func (t *tables) remove() {
	_ = t.wait()
	for _, s := range t.spaces {
		removeStacks(t.store, s.of)
	}
}

// findTwice is a store.Duplicate if a key is in two stacks of a space.
func (s *Store) findTwice(stacks []*stack) (err error) {
	var all []*pebble.Iterator
	defer func() {
		for _, it := range all {
			err = errors.Join(err, it.Close())
		}
	}()
	for _, top := range stacks {
		var open []sstable.ReadableFile
		for _, name := range top.files {
			f, err := s.loadFS.Open(name)
			if err != nil {
				return err
			}
			open = append(open, f)
		}
		it, err := pebble.NewExternalIter(s.tables, &pebble.IterOptions{}, [][]sstable.ReadableFile{open})
		if err != nil {
			return err
		}
		if all = append(all, it); !it.First() {
			return it.Error()
		}
	}
	for len(all) > 1 {
		first := 0
		for i := 1; i < len(all); i++ {
			switch c := bytes.Compare(all[i].Key(), all[first].Key()); {
			case c == 0:
				return &store.Duplicate{Space: stacks[0].space, Key: bytes.Clone(all[i].Key()[overlay.SpaceBytes:])}
			case c < 0:
				first = i
			}
		}
		if it := all[first]; !it.Next() {
			all = slices.Delete(all, first, first+1)
			if err := errors.Join(it.Error(), it.Close()); err != nil {
				return err
			}
		}
	}
	return nil
}

// ingestAll adds the tables of rounds, see tables.finish.
func (s *Store) ingestAll(ctx context.Context, rounds [][]string) error {
	for _, files := range rounds {
		if err := s.ingest(ctx, files); err != nil {
			return err
		}
	}
	return nil
}

// ingest adds tables to the database, above all that there is.
func (s *Store) ingest(ctx context.Context, files []string) error {
	defer func() {
		if p := recover(); p != nil {
			s.fail(fmt.Errorf("%v", p))
		}
	}()
	if err := s.db.Ingest(ctx, files); err != nil {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return nil
}

// removeLoads removes what loads that did not end have left.
func (s *Store) removeLoads() error {
	names, err := s.loadFS.List(s.room.dir)
	for _, name := range names {
		if strings.HasPrefix(name, loadPrefix) {
			err = errors.Join(err, s.loadFS.Remove(s.loadFS.PathJoin(s.room.dir, name)))
		}
	}
	return err
}
