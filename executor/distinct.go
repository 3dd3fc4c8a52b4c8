package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// distinct passes on each different row once, when it first comes. With On the values of
// On make rows different.
func distinct(f frame, n plan.Distinct) Rows {
	return produce(f, len(n.Columns()), func(out *output) error {
		held := f.hold()
		defer held.release()
		seen := rowSet{held: &held}
		key := make(types.Row, len(n.On))
		return out.each(f.input(n.Input), func(row types.Row) error {
			by := row
			if n.On != nil {
				if err := evaluate(key, n.On, f.env.Expr, row); err != nil {
					return err
				}
				by = key
			}
			if added, err := seen.add(by); err != nil || !added {
				return err
			}
			return out.append(row)
		})
	})
}

// rowSet numbers the different rows that were added to it. NULLs equal each other.
type rowSet struct {
	numbers map[string]int
	key     []byte
	held    *hold
}

func (s *rowSet) encode(row types.Row) {
	s.key = s.key[:0]
	for _, v := range row {
		s.key = types.AppendKey(s.key, v)
	}
}

// find is the number of a row, and whether it is there.
func (s *rowSet) find(row types.Row) (int, bool) {
	s.encode(row)
	n, ok := s.numbers[string(s.key)]
	return n, ok
}

// number is the number of a row, and whether it is new.
func (s *rowSet) number(row types.Row) (int, bool, error) {
	if n, ok := s.find(row); ok {
		return n, false, nil
	}
	if s.numbers == nil {
		s.numbers = map[string]int{}
	}
	n := len(s.numbers)
	s.numbers[string(s.key)] = n
	return n, true, s.held.add(int64(len(s.key)) + rowOverhead)
}

// add says whether a row is new.
func (s *rowSet) add(row types.Row) (bool, error) {
	_, added, err := s.number(row)
	return added, err
}
