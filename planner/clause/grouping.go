package clause

import (
	"cmp"
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Grouping is an item of GROUP BY whose expressions have numbers: those of an expression or a list, or parts.
type Grouping struct {
	Kind  ast.GroupingKind
	Of    []int
	Parts []Grouping
}

// The most that PostgreSQL takes.
const (
	mostCubed        = 12
	mostSets         = 4096
	mostGroupingArgs = 31
)

// Groupings are items of GROUP BY. Number numbers expressions, equal ones alike.
func Groupings(items []ast.Grouping, number func(ast.Expr) (int, error)) ([]Grouping, error) {
	out := make([]Grouping, len(items))
	for i, item := range items {
		var err error
		if out[i], err = grouping(item, number); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func grouping(item ast.Grouping, number func(ast.Expr) (int, error)) (out Grouping, err error) {
	out.Kind = item.Kind
	if item.Kind == ast.GroupingExpr {
		at, err := number(item.Expr)
		out.Of = []int{at}
		return out, err
	}
	if item.Kind == ast.GroupingCube && len(item.Parts) > mostCubed {
		return out, sqlerr.New(sqlerr.TooManyColumns, "CUBE is limited to %d elements", mostCubed).At(int(item.Pos))
	}
	if out.Parts, err = Groupings(item.Parts, number); err != nil || item.Kind != ast.GroupingList {
		return out, err
	}
	for _, part := range out.Parts {
		out.Of = union(out.Of, part.Of)
	}
	out.Parts = nil
	return out, nil
}

// Plain says whether items of GROUP BY are nothing but expressions, which make one set.
func Plain(items []Grouping) bool {
	return !slices.ContainsFunc(items, func(g Grouping) bool { return g.Kind != ast.GroupingExpr })
}

// GroupingSets are the sets that items of GROUP BY stand for together: of those of each item all combinations. With
// once equal sets count once.
func GroupingSets(items []Grouping, once bool) ([][]int, error) {
	all := [][]int{nil}
	for _, item := range items {
		sets, err := item.sets()
		if err == nil && len(sets)*len(all) > mostSets {
			err = tooManySets()
		}
		if err != nil {
			return nil, err
		}
		var next [][]int
		for _, before := range all {
			for _, set := range sets {
				next = append(next, union(before, set))
			}
		}
		all = next
	}
	if once {
		return different(all), nil
	}
	return all, nil
}

func tooManySets() error {
	return sqlerr.New(sqlerr.StatementTooComplex, "too many grouping sets present (maximum %d)", mostSets)
}

// sets are those that one item stands for.
func (g Grouping) sets() (out [][]int, err error) {
	switch g.Kind {
	case ast.GroupingRollup:
		for n := len(g.Parts); n >= 0; n-- {
			out = append(out, together(g.Parts[:n]))
		}
	case ast.GroupingCube:
		for chosen := 1<<len(g.Parts) - 1; chosen >= 0; chosen-- {
			var parts []Grouping
			for i, part := range g.Parts {
				if chosen>>(len(g.Parts)-1-i)&1 == 1 {
					parts = append(parts, part)
				}
			}
			out = append(out, together(parts))
		}
	case ast.GroupingSets:
		for _, part := range g.Parts {
			sets, err := part.sets()
			if out = append(out, sets...); err == nil && len(out) > mostSets {
				err = tooManySets()
			}
			if err != nil {
				return nil, err
			}
		}
	case ast.GroupingExpr, ast.GroupingList:
		out = [][]int{g.Of}
	}
	return out, nil
}

func together(parts []Grouping) (out []int) {
	for _, part := range parts {
		out = union(out, part.Of)
	}
	return out
}

// union is a list with what another one has besides.
func union(list, other []int) []int {
	out := slices.Clone(list)
	for _, x := range other {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// different are sets without those that equal another one.
func different(sets [][]int) [][]int {
	for _, set := range sets {
		slices.Sort(set)
	}
	slices.SortFunc(sets, func(a, b []int) int { return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b)) })
	return slices.CompactFunc(sets, slices.Equal)
}

// GroupingArguments refuses a GROUPING of more arguments than its value has bits.
func GroupingArguments(e *ast.GroupingCall) error {
	if len(e.Args) > mostGroupingArgs {
		return sqlerr.New(sqlerr.TooManyArguments, "GROUPING must have fewer than %d arguments", mostGroupingArgs+1).
			At(int(e.Pos))
	}
	return nil
}

// NoGroup is the error about an argument of GROUPING that is no expression of GROUP BY. That of a query around is found
// for columns alone, as in PostgreSQL.
func NoGroup(pos ast.Pos) error {
	return sqlerr.New(sqlerr.GroupingError,
		"arguments to GROUPING must be grouping expressions of the associated query level").At(int(pos))
}
