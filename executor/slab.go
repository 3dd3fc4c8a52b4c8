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

// collect keeps all rows of a stream.
func collect(f frame, in Rows, width int) ([]types.Row, error) {
	kept := slab{width: width}
	var all []types.Row
	for batch, err := range in {
		if err == nil {
			err = f.canceled()
		}
		if err != nil {
			return nil, err
		}
		for i := range batch.Len() {
			all = append(all, kept.keep(batch.Row(i)))
		}
	}
	return all, nil
}
