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
	var heads []runHead
	for i, run := range runs {
		h := runHead{in: s.file.read(run, s.kept.width), run: i}
		if ok, err := h.advance(); err != nil {
			return err
		} else if ok {
			heads = append(heads, h)
		}
	}
	before := func(a, b *runHead) bool {
		order := compareKeys(s.keys, a.row, b.row)
		return order < 0 || order == 0 && a.run < b.run
	}
	heapify(heads, before)
	for n := 0; len(heads) > 0; n++ {
		if n%types.BatchRows == 0 {
			if err := s.canceled(); err != nil {
				return err
			}
		}
		if err := do(heads[0].row); err != nil {
			return err
		}
		switch ok, err := heads[0].advance(); {
		case err != nil:
			return err
		case ok:
			sink(heads, 0, before)
		default:
			heads = dropFirst(heads, before)
		}
	}
	return nil
}

// runHead is the foremost row of a run.
type runHead struct {
	in  *spilled
	row types.Row
	run int
}

func (h *runHead) advance() (bool, error) {
	row, ok, err := h.in.next()
	h.row = row
	return ok, err
}
