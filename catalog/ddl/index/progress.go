package index

import (
	"context"
	"sync/atomic"

	"zproxy/catalog"
	"zproxy/executor"
	"zproxy/store"
)

// The statements that tell how far they are, as PostgreSQL calls them.
const (
	createIndexCommand = "CREATE INDEX"
	reindexCommand     = "REINDEX"
	checkCommand       = "CHECK INDEX"
)

// Progress is how far a statement is that fills an index or checks some. Others may read it meanwhile.
type Progress struct {
	command  string
	relation uint32
	now      atomic.Pointer[step]
}

// step is what it does now.
type step struct {
	index uint32 // 0: one that others do not see yet
	phase string
	total float64 // rows and entries that it is about, as far as is known
	seen  executor.Seen
}

// Report is how far the building or checking of indexes of a statement is.
type Report struct {
	Command, Phase  string
	Relation, Index uint32 // an index of 0 is one that others do not see yet
	Total, Done     int64  // rows and entries; a total of 0 is not known
}

// rowsOf is about how many rows a table has, by its statistics or as the store counts them; 0: that is not known.
func (d *Definer) rowsOf(ctx context.Context, t *catalog.Table) float64 {
	if t.Stats.Known {
		return t.Stats.Rows
	}
	sized, ok := d.Node.Store.(store.Sized)
	if !ok {
		return 0
	}
	items, known, err := sized.Items(ctx, t.TableSpace())
	if err != nil || !known {
		return 0 // progress tells less
	}
	return float64(items)
}

// enter begins a phase, and gives what counts in it.
func (p *Progress) enter(index uint32, phase string, total float64) *executor.Seen {
	if p == nil {
		return nil
	}
	next := &step{index: index, phase: phase, total: total}
	p.now.Store(next)
	return &next.seen
}

// Report is how far it is, nil for none.
func (p *Progress) Report() *Report {
	if p == nil {
		return nil
	}
	out := &Report{Command: p.command, Phase: "initializing", Relation: p.relation}
	if now := p.now.Load(); now != nil {
		out.Phase, out.Index, out.Total, out.Done = now.phase, now.index, int64(now.total), now.seen.Count()
		if out.Total > 0 {
			out.Total = max(out.Total, out.Done) // statistics may be of fewer rows
		}
	}
	return out
}
