package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/types"
)

// memoShare is how many Memoizes would fill the work memory.
const memoShare = 4

// memoize delivers the rows of its input, or those that it kept when its keys had the same values before in this run
// of the plan. Only rows that were read to their end are kept.
func memoize(f frame, n plan.Memoize) Rows {
	return produce(f, plan.Width(n), func(out *output) error {
		m, p := f.memo(n), f.profile()
		values := make(types.Row, len(n.Keys))
		if err := evaluate(values, n.Keys, f.env.Expr, nil); err != nil {
			return err
		}
		key := m.hash(values)
		if r := m.find(key, values); r != nil {
			p.Hits++
			return out.appendAll(r.rows)
		}
		p.Misses++
		r := &remembered{key: string(key), values: values}
		kept := slab{width: plan.Width(n)}
		err := out.each(f.input(n.Input), func(row types.Row) error {
			if !m.useless {
				r.rows = append(r.rows, kept.keep(row))
				r.bytes += rowBytes(row)
			}
			if err := out.append(row); err != nil || !n.Single {
				return err
			}
			return errEnough
		})
		if err != nil && err != errEnough {
			return err
		}
		m.keep(r, p)
		return nil
	})
}

// memo is what a Memoize keeps while its plan runs.
type memo struct {
	most    int64 // bytes
	held    hold
	byKey   map[string]*remembered
	useless bool   // nothing is kept, since what was kept was hardly asked for
	hits    int    // since byKey was empty
	key     []byte // of hash
}

// remembered are the rows for the values of the keys.
type remembered struct {
	key    string // the hash key of the values
	values types.Row
	rows   []types.Row
	bytes  int64
}

// memo is that of a node, which lives as long as the run of the plan.
func (f frame) memo(n plan.Memoize) *memo {
	m := f.env.memos[n.Number]
	if m == nil {
		m = &memo{most: f.workMemory() / memoShare, held: f.hold(), byKey: map[string]*remembered{}}
		if f.env.memos == nil {
			f.env.memos = map[int]*memo{}
		}
		f.env.memos[n.Number] = m
	}
	return m
}

// find gives what is kept for values. Equal values that differ, such as 1.0 and 1.00, may make different rows.
func (m *memo) find(key []byte, values types.Row) *remembered {
	r := m.byKey[string(key)]
	if r == nil || !slices.EqualFunc(r.values, values, types.Identical) {
		return nil
	}
	m.hits++
	return r
}

// hash is the key of values, until the next one.
func (m *memo) hash(values types.Row) []byte {
	m.key = m.key[:0]
	for _, v := range values {
		m.key = types.AppendKey(m.key, v)
	}
	return m.key
}

// keep keeps rows in place of all others when there is no room for more. Where these were asked for less than once
// each, nothing is kept any more: the values hardly come again.
func (m *memo) keep(r *remembered, p *plan.NodeProfile) {
	if m.useless {
		return
	}
	if m.byKey[r.key] != nil {
		return // of equal values that differ those that came first
	}
	r.bytes += rowBytes(r.values) + int64(len(r.key)) + rowOverhead
	if m.held.bytes+r.bytes > m.most {
		m.empty(p)
	}
	if m.useless || r.bytes > m.most || m.held.add(r.bytes) != nil {
		return
	}
	m.byKey[r.key] = r
	p.Memory = max(p.Memory, m.held.bytes)
}

// empty gives up what is kept.
func (m *memo) empty(p *plan.NodeProfile) {
	p.Evictions += int64(len(m.byKey))
	m.useless = m.hits < len(m.byKey)
	m.hits, m.byKey = 0, map[string]*remembered{}
	m.held.release()
}
