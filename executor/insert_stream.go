package executor

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"

	"zproxy/expr"
	"zproxy/internal/routine"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Rows of a client, and those for a new table, of which nothing is read, are written as they come, in chunks. Where
// nothing that is computed for them needs the session, one chunk is written by another goroutine while the next one is
// read and completed.

// chunkBytes is how many bytes of rows are a chunk, if it has not enough rows before.
const chunkBytes = 4 << 20

// chunk is rows that are written together.
type chunk struct {
	held  hold
	kept  slab
	rows  []types.Row
	lines []int64 // of the client's data
}

func (c *chunk) add(row types.Row, line int64) error {
	c.rows, c.lines = append(c.rows, row), append(c.lines, line)
	return c.held.addRow(row)
}

func (c *chunk) clear() {
	c.rows, c.lines, c.kept = c.rows[:0], c.lines[:0], slab{width: c.kept.width}
	c.held.release()
}

// insertion writes the rows of a stream.
type insertion struct {
	frame   // in which they are read
	node    plan.Insert
	reading inserters // which complete rows
	writing inserters // which write them; in the frame of the node
	chunk   *chunk
	ahead   bool         // chunks may be written by another goroutine
	writer  *chunkWriter // nil: there was no second chunk yet, or they may not
}

// insertStream inserts rows as they come.
func insertStream(f frame, n plan.Insert, in inserters) (err error) {
	s := insertion{frame: f, node: n, reading: in, writing: in, ahead: readsAhead(f, n)}
	if s.ahead {
		s.env = fork(f)
		s.env.Given, s.env.Rules = f.env.Given, f.env.Rules
		defer endFork(f, s.env, n.Input, nil)
		if s.reading, err = newInserters(s.frame, n, in.first.back); err != nil {
			return err
		}
	}
	s.chunk = s.newChunk()
	defer func() {
		if s.writer != nil {
			err = s.writer.end(err)
		}
		s.chunk.held.release()
	}()
	err = s.read()
	if err == nil && len(s.chunk.rows) > 0 {
		err = s.write()
	}
	return err
}

// readsAhead says whether rows can be read and completed while others are written. What the input reads in the store
// must be in another transaction.
func readsAhead(f frame, n plan.Insert) bool {
	return (f.env.Sorted || streams(n.Input)) && !n.FiresAny() && !needsSession(n)
}

func needsSession(n plan.Node) bool {
	return slices.ContainsFunc(plan.Exprs(n), expr.NeedsSession) || slices.ContainsFunc(n.Inputs(), needsSession)
}

func (s *insertion) newChunk() *chunk {
	return &chunk{held: s.hold(), kept: slab{width: len(s.node.Table.Columns)}}
}

// read reads all rows, and writes the chunks that are full.
func (s *insertion) read() error {
	for batch, err := range s.input(s.node.Input) {
		if err != nil {
			return err
		}
		for i := range batch.Len() {
			row := s.chunk.kept.keep(batch.Row(i))
			kept, err := s.reading.complete(row)
			if err == nil && kept {
				err = s.chunk.add(row, s.env.line())
			}
			if err == nil && (len(s.chunk.rows) >= s.writing.chunk() || s.chunk.held.bytes >= chunkBytes) {
				err = s.full()
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// full writes a chunk behind which others come.
func (s *insertion) full() error {
	if s.ahead && s.writer == nil {
		s.ahead = s.begin()
	}
	return s.write()
}

// write writes the chunk, or hands it over.
func (s *insertion) write() error {
	if s.writer != nil {
		return s.writer.take(&s.chunk)
	}
	defer s.chunk.clear()
	return s.writing.insert(s.chunk.rows, s.chunk.lines)
}

// chunkWriter writes chunks on a goroutine of its own.
type chunkWriter struct {
	chunks, free chan *chunk
	group        routine.Group
	failed       atomic.Bool
	err          error // to be read when the group has ended
	held         hold  // of the statement, for the chunks
}

// begin lets chunks be written by another goroutine, and says whether there is the memory for it.
func (s *insertion) begin() bool {
	b := &chunkWriter{chunks: make(chan *chunk), free: make(chan *chunk, 2), held: s.writing.first.hold()}
	if b.held.add(2*chunkBytes) != nil {
		return false
	}
	b.free <- s.newChunk()
	b.group.Go(func() {
		for c := range b.chunks {
			if b.err == nil {
				b.err = atLast(c, routine.Do(func() error { return b.write(s.writing, c) }))
				b.failed.Store(b.err != nil)
			}
			b.free <- c
		}
	}, func(err error) { b.err = err })
	s.writer = b
	return true
}

// write writes a chunk. One with a large row is held by the statement as what it is.
func (b *chunkWriter) write(in inserters, c *chunk) error {
	before := b.held.bytes
	defer b.held.releaseTo(before)
	if err := b.held.add(max(c.held.bytes-chunkBytes, 0)); err != nil {
		return err
	}
	return in.insert(c.rows, c.lines)
}

// atLast is an error about a chunk, which if it is about none of its lines is about the last one.
func atLast(c *chunk, err error) error {
	if last := c.lines[len(c.lines)-1]; err != nil && last > 0 && !errors.As(err, new(*LineError)) {
		return AtLine(err, last)
	}
	return err
}

// errBehind stands for the error of a chunk that another goroutine writes.
var errBehind = errors.New("a chunk of rows could not be written")

// take takes a chunk, and puts an empty one in its place.
func (b *chunkWriter) take(c **chunk) error {
	b.chunks <- *c
	*c = <-b.free
	(*c).clear()
	if b.failed.Load() {
		return errBehind
	}
	return nil
}

// end waits until all chunks are written. What is wrong with one of them goes before the error of a later row.
func (b *chunkWriter) end(err error) error {
	close(b.chunks)
	b.group.Wait()
	b.held.release()
	return cmp.Or(b.err, err)
}
