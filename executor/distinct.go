package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// distinct passes on each different row once, when it first comes.
func distinct(f frame, n plan.Distinct) Rows {
	input := f.input(n.Input)
	return func(yield func(*types.Batch, error) bool) {
		seen := rowSet{}
		out := types.NewBatch(0)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			out.Reset(batch.Width())
			for i := range batch.Len() {
				if row := batch.Row(i); seen.add(row) {
					out.Append(row)
				}
			}
			if out.Len() > 0 && !yield(out, nil) {
				return
			}
		}
	}
}

// rowSet numbers the different rows that were added to it.
type rowSet struct {
	numbers map[string]int
	key     []byte
}

// number is the number of a row, and whether it is new.
func (s *rowSet) number(row types.Row) (int, bool) {
	s.key = s.key[:0]
	for _, v := range row {
		s.key = types.AppendKey(s.key, v)
	}
	if n, ok := s.numbers[string(s.key)]; ok {
		return n, false
	}
	if s.numbers == nil {
		s.numbers = map[string]int{}
	}
	n := len(s.numbers)
	s.numbers[string(s.key)] = n
	return n, true
}

// add says whether a row is new.
func (s *rowSet) add(row types.Row) bool {
	_, added := s.number(row)
	return added
}
