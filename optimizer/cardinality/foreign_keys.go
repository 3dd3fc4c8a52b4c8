package cardinality

import "slices"

// refers finds those of some equalities between two sides that are a foreign key of several columns together, the side
// of the rows that are referred to, and the other equalities. Rows that refer to others have one partner each among
// all of these, however many values their columns seem to have together: what is known of the columns one by one says
// less than the foreign key.
func refers(pairs [][2]column) (key [][2]column, parent int, others [][2]column) {
	if len(pairs) < 2 {
		return nil, 0, pairs
	}
	for i := range pairs {
		for parent := range 2 {
			if key := keyOf(pairs, i, parent); key != nil {
				return key, parent, slices.DeleteFunc(slices.Clone(pairs), func(p [2]column) bool {
					return slices.Contains(key, p)
				})
			}
		}
	}
	return nil, 0, pairs
}

// keyOf are the equalities that are a foreign key, of which one is the first column, with a side that is referred to;
// nil: there is no such key.
func keyOf(pairs [][2]column, first, parent int) [][2]column {
	child, to := pairs[first][1-parent].of, pairs[first][parent].of
	if child == nil || to == nil {
		return nil
	}
	for i := range child.table.ForeignKeys {
		k := &child.table.ForeignKeys[i]
		if k.NotEnforced || k.Table != to.table.ID || len(k.Columns) < 2 || k.Columns[0] != pairs[first][1-parent].id {
			continue
		}
		var found [][2]column
		for at, id := range k.Columns {
			n := slices.IndexFunc(pairs, func(p [2]column) bool {
				own, other := &p[1-parent], &p[parent]
				return own.of == child && own.id == id && other.of == to && other.id == k.Refers[at]
			})
			if n < 0 {
				break
			}
			found = append(found, pairs[n])
		}
		if len(found) == len(k.Columns) {
			return found
		}
	}
	return nil
}
