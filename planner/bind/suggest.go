package bind

import (
	"fmt"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// farthest is how many letters a column's name may be away from the one that was meant.
const farthest = 3

// suggestion is the columns whose names are nearest to one that does not exist.
type suggestion struct {
	distance int
	names    []string // as they are shown
}

// suggest looks in this scope and those around for columns with names like a missing one,
// and says which in a hint, as PostgreSQL does: of names at most half of whose letters
// differ the nearest, if they are one or two.
func (s *Scope) suggest(e *ast.Column, err *sqlerr.Error) error {
	if e.Parts[0] == ast.MergeActionName {
		return sqlerr.New(sqlerr.SyntaxError,
			"MERGE_ACTION() can only be used in the RETURNING list of a MERGE command").At(int(e.Pos))
	}
	best := suggestion{distance: farthest + 1}
	name, qualifier := e.Parts[len(e.Parts)-1], ""
	if len(e.Parts) > 1 {
		qualifier = e.Parts[len(e.Parts)-2]
	}
	for at := s; at != nil; at = at.Outer {
		for k := range at.Relations {
			r := &at.Relations[k]
			penalty := 0
			if qualifier != "" {
				penalty = levenshtein(qualifier, r.Name)
			}
			for i, c := range r.Cols {
				if r.Name != "" && !r.Is(Hidden, i) && penalty <= best.distance {
					best.add(name, c.Name, r.Name, penalty)
				}
			}
		}
	}
	switch len(best.names) {
	case 1:
		return err.WithHint("Perhaps you meant to reference the column %s.", best.names[0])
	case 2:
		return err.WithHint("Perhaps you meant to reference the column %s or the column %s.", best.names[0],
			best.names[1])
	}
	return err
}

func (b *suggestion) add(wanted, column, relation string, penalty int) {
	d := levenshtein(column, wanted)
	if d > len(wanted)/2 {
		return
	}
	d += penalty
	shown := fmt.Sprintf("%q", relation+"."+column)
	switch {
	case d > b.distance || d > farthest:
	case d < b.distance:
		b.distance, b.names = d, []string{shown}
	default:
		b.names = append(b.names, shown)
	}
}

// levenshtein is how many letters must be put in, left out or changed to make one name of
// the other (Levenshtein, Binary codes capable of correcting deletions, insertions and
// reversals, 1966).
func levenshtein(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for k := range row {
		row[k] = k
	}
	for i, x := range from {
		last := row[0]
		row[0] = i + 1
		for k, y := range to {
			change := last
			if x != y {
				change++
			}
			last = row[k+1]
			row[k+1] = min(change, row[k]+1, last+1)
		}
	}
	return row[len(to)]
}
