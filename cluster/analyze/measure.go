package analyze

import (
	"context"
	"math"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/extent"
	"zproxy/store"
)

// measured is what the store has said of the size of a table.
type measured struct {
	at           time.Time
	items, bytes int64
}

// Measure learns about how large the tables are that have no statistics, without reading them: of what the store says,
// which is asked once in a round, and of the rows that are known to have been added, the larger number counts. The
// store may have counted hours ago, so that the table is at least as large. Planning finds the answer beside the table.
func (a *Analyzer) Measure(ctx context.Context) {
	sizes := map[uint32]measured{} // not of tables that have been dropped meanwhile
	defer func() { a.sizes = sizes }()
	for _, t := range a.Node.Snapshot().Tables() {
		if t.Stats.Known || !t.Kept() || t.Foreign != nil {
			continue
		}
		m := a.sizes[t.ID]
		if now := a.Now(); m.at.IsZero() || now.Sub(m.at) >= max(a.Every, time.Minute) {
			m = a.ask(ctx, t, now, m)
		}
		sizes[t.ID] = m
		e := extent.Extent{Rows: math.Max(float64(m.items), float64(a.Node.Tally.Since(t.ID, t.Stats.Made()).Net()))}
		if m.items > 0 && a.Node.Store.Capabilities().Units {
			e.Width = float64(m.bytes) / float64(m.items)
		}
		if t.Stats.Extent.Get() != e {
			t.Stats.Extent.Set(e)
		}
	}
}

// ask asks the store how large a table is; what was known stays where that fails.
func (a *Analyzer) ask(ctx context.Context, t *catalog.Table, now time.Time, was measured) measured {
	was.at = now
	sized, ok := a.Node.Store.(store.Sized)
	if !ok || t.TableSpace().Host != nil { // that is counted together with others
		return was
	}
	items, known, err := sized.Items(ctx, t.TableSpace())
	if err != nil || !known {
		return was
	}
	bytes, known, err := sized.Bytes(ctx, t.TableSpace())
	if err != nil || !known {
		return was
	}
	return measured{now, items, bytes}
}
