package executor

import "zproxy/types"

// slab keeps rows of one width, many in one piece of memory.
type slab struct {
	width int
	last  []types.Value // the piece that was made last
	free  []types.Value // what is left of it
	next  int           // rows in the next piece
}

// add makes room for a row.
func (s *slab) add() types.Row {
	if len(s.free) < s.width {
		s.next = min(max(2*s.next, 1), types.BatchRows)
		s.last = make([]types.Value, s.next*s.width)
		s.free = s.last
	}
	row := s.free[:s.width:s.width]
	s.free = s.free[s.width:]
	return row
}

// reuse takes all rows back: their places go to others.
func (s *slab) reuse() {
	clear(s.last[:len(s.last)-len(s.free)])
	s.free = s.last
}

// keep copies a row.
func (s *slab) keep(r types.Row) types.Row {
	row := s.add()
	copy(row, r)
	return row
}
