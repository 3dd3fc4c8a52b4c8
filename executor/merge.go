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
// rows, of equal ones that of the earlier run.
func (s *sorter) merge(runs []spillRun, do func(types.Row) error) error {
	t := tournament[*runHead]{before: s.earlier}
	for i, run := range runs {
		head := &runHead{in: s.file.read(run, s.kept.width), run: i}
		if ok, err := head.advance(); err != nil {
			return err
		} else if ok {
			t.heads = append(t.heads, contestant[*runHead]{prefix: s.prefix(head.row), of: head})
		}
	}
	if len(t.heads) == 0 {
		return nil
	}
	t.begin()
	for n := 0; ; n++ {
		if err := s.canceledAt(n); err != nil {
			return err
		}
		first := t.first()
		if first.over {
			return nil
		}
		if err := do(first.of.row); err != nil {
			return err
		}
		switch ok, err := first.of.advance(); {
		case err != nil:
			return err
		case ok:
			first.prefix = s.prefix(first.of.row)
		default:
			first.leave()
		}
		t.again()
	}
}

// runHead is the foremost row of a run.
type runHead struct {
	in  *spilled
	row types.Row
	run int
}

// earlier orders runs by their foremost rows, and by their numbers.
func (s *sorter) earlier(a, b **runHead) bool {
	order := compareKeys(s.keys, (*a).row, (*b).row)
	return order < 0 || order == 0 && (*a).run < (*b).run
}

// prefix is that of a row that begins with the values of the keys.
func (s *sorter) prefix(row types.Row) uint64 {
	if len(s.keys) == 0 {
		return 0
	}
	return prefix(s.keys[0], row[0])
}

func (h *runHead) advance() (bool, error) {
	row, ok, err := h.in.next()
	h.row = row
	return ok, err
}
