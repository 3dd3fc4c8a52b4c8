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

// rowList keeps rows of one width, next to each other and by their numbers.
type rowList struct {
	width, count int
	pages        [][]types.Value // of pageRows rows each but for the last
}

const pageRows = 256

// add keeps a copy of a row.
func (l *rowList) add(r types.Row) {
	if l.count%pageRows == 0 {
		l.pages = append(l.pages, nil)
	}
	last := &l.pages[len(l.pages)-1]
	*last = append(*last, r...)
	l.count++
}

// row is row i.
func (l *rowList) row(i int) types.Row {
	from := i % pageRows * l.width
	return l.pages[i/pageRows][from : from+l.width : from+l.width]
}
