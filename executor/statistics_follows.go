package executor

import (
	"zproxy/types"
)

// Follows says how far the values of a column follow from those of others: of the sampled rows that share the values
// of the others with one before them, how many there are, and which share of them has that one's value in the column.
func (s *Survey) Follows(column uint32, of []uint32) (rows int, share float64) {
	at := s.table.Ordinal(column)
	first := map[string]types.Value{}
	var key []byte
	same := 0
	for _, r := range s.sample {
		key = key[:0]
		for _, id := range of {
			key = types.AppendKey(key, r.row[s.table.Ordinal(id)])
		}
		v, met := first[string(key)]
		if !met {
			first[string(key)] = r.row[at]
			continue
		}
		rows++
		if types.Equal(v, r.row[at]) {
			same++
		}
	}
	if rows == 0 {
		return 0, 0
	}
	return rows, float64(same) / float64(rows)
}
