package executor

import (
	"zproxy/types"
)

// mergeRuns is how many runs are merged at once.
const mergeRuns = 128

// merged calls do with the rows of all runs in order, with their keys. More runs than can
// be read at once are first made fewer.
func (s *sorter) merged(do func(types.Row) error) error {
	for len(s.runs) > mergeRuns {
		var fewer []spillRun
		for len(s.runs) > 0 {
			n := min(len(s.runs), mergeRuns)
			if err := s.merge(s.runs[:n], s.file.append); err != nil {
				return err
			}
			run, err := s.file.end()
			if err != nil {
				return err
			}
			fewer, s.runs = append(fewer, run), s.runs[n:]
		}
		s.runs = fewer
	}
	return s.merge(s.runs, do)
}

// merge calls do with the rows of some runs in order: it takes the first of the foremost
// rows, which are in a heap (Knuth, The Art of Computer Programming, volume 3, 5.4.1). Of
// equal rows that of the earlier run goes first.
func (s *sorter) merge(runs []spillRun, do func(types.Row) error) error {
	m := merger{sorter: s}
	for i, run := range runs {
		h := head{in: s.file.read(run, s.kept.width), run: i}
		if ok, err := h.advance(); err != nil {
			return err
		} else if ok {
			m.heads = append(m.heads, h)
		}
	}
	for i := len(m.heads)/2 - 1; i >= 0; i-- {
		m.sink(i)
	}
	for n := 0; len(m.heads) > 0; n++ {
		if n%types.BatchRows == 0 {
			if err := s.canceled(); err != nil {
				return err
			}
		}
		if err := do(m.heads[0].row); err != nil {
			return err
		}
		ok, err := m.heads[0].advance()
		if err != nil {
			return err
		}
		if !ok {
			last := len(m.heads) - 1
			m.heads[0] = m.heads[last]
			m.heads = m.heads[:last]
		}
		m.sink(0)
	}
	return nil
}

// merger is one merge.
type merger struct {
	*sorter
	heads []head
}

// head is the foremost row of a run.
type head struct {
	in  *spilled
	row types.Row
	run int
}

func (h *head) advance() (bool, error) {
	row, ok, err := h.in.next()
	h.row = row
	return ok, err
}

func (m *merger) before(i, j int) bool {
	order := compareKeys(m.keys, m.heads[i].row, m.heads[j].row)
	return order < 0 || order == 0 && m.heads[i].run < m.heads[j].run
}

// sink moves a head down until it comes before those below it.
func (m *merger) sink(i int) {
	for {
		first := 2*i + 1
		if first >= len(m.heads) {
			return
		}
		if first+1 < len(m.heads) && m.before(first+1, first) {
			first++
		}
		if m.before(i, first) {
			return
		}
		m.heads[i], m.heads[first] = m.heads[first], m.heads[i]
		i = first
	}
}
