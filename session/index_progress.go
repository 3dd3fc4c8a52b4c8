package session

import (
	"sync/atomic"

	"zproxy/executor"
)

// The statements that tell how far they are, as PostgreSQL calls them.
const (
	createIndexCommand = "CREATE INDEX"
	reindexCommand     = "REINDEX"
)

// indexing is how far a session is that fills an index or checks some, which others may read.
type indexing struct {
	command  string
	relation uint32
	now      atomic.Pointer[indexPhase]
}

// indexPhase is what it does now.
type indexPhase struct {
	index uint32 // 0: one that others do not see yet
	phase string
	total float64 // rows and entries that it is about, as far as is known
	seen  executor.Seen
}

// IndexProgress is how far the building or checking of indexes of a session is.
type IndexProgress struct {
	Command, Phase  string
	Relation, Index uint32 // an index of 0 is one that others do not see yet
	Total, Done     int64  // rows and entries; a total of 0 is not known
}

// indexes notes that the session builds or checks indexes, until the function is called.
func (s *Session) indexes(i *indexing) (end func()) {
	s.indexing.Store(i)
	return func() { s.indexing.Store(nil) }
}

// enter begins a phase, and gives what counts in it.
func (i *indexing) enter(index uint32, phase string, total float64) *executor.Seen {
	if i == nil {
		return nil
	}
	p := &indexPhase{index: index, phase: phase, total: total}
	i.now.Store(p)
	return &p.seen
}

// progress is how far it is, nil for none.
func (i *indexing) progress() *IndexProgress {
	if i == nil {
		return nil
	}
	out := &IndexProgress{Command: i.command, Phase: "initializing", Relation: i.relation}
	if p := i.now.Load(); p != nil {
		out.Phase, out.Index, out.Total, out.Done = p.phase, p.index, int64(p.total), p.seen.Count()
		if out.Total > 0 {
			out.Total = max(out.Total, out.Done) // statistics may be of fewer rows
		}
	}
	return out
}
