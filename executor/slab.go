package executor

import "zproxy/types"

// slab keeps rows of one width, many in one piece of memory.
type slab struct {
	width int
	free  []types.Value
	next  int // rows in the next piece
}

// add makes room for a row.
func (s *slab) add() types.Row {
	if len(s.free) < s.width {
		s.next = min(max(2*s.next, 1), types.BatchRows)
		s.free = make([]types.Value, s.next*s.width)
	}
	row := s.free[:s.width:s.width]
	s.free = s.free[s.width:]
	return row
}

// keep copies a row.
func (s *slab) keep(r types.Row) types.Row {
	row := s.add()
	copy(row, r)
	return row
}
