package bound

import (
	"reflect"
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/clause"
	"zproxy/types"
)

// groups are GROUP BY: expressions, and the items that they make sets by; without any all are one set.
type groups struct {
	Exprs []Node
	Items []clause.Grouping
	Once  bool // GROUP BY DISTINCT
}

// Grouping is GROUPING(...).
type Grouping struct {
	Args []Node
	typed
}

// Grouping implements analyze.Maker.
func (m maker) Grouping(e *ast.GroupingCall) (Node, error) {
	if err := clause.GroupingArguments(e); err != nil {
		return nil, err
	}
	args, err := m.analysis().Exprs(e.Args)
	return &Grouping{Args: args, typed: typed{types.Int4}}, err
}

// groupBy analyzes GROUP BY. An expression that is there already counts once.
func (a clauses) groupBy(s *ast.Select) error {
	g := &a.q.Group
	number := func(e ast.Expr) (int, error) {
		n, _, err := a.listed(e, clause.GroupBy)
		if err != nil {
			return 0, err
		}
		at := slices.IndexFunc(g.Exprs, func(x Node) bool { return reflect.DeepEqual(x, n) })
		if at < 0 {
			at, g.Exprs = len(g.Exprs), append(g.Exprs, n)
		}
		return at, nil
	}
	items, err := clause.Groupings(s.GroupBy.Items, number)
	if err == nil && !clause.Plain(items) {
		g.Items, g.Once = items, s.GroupBy.Once
		_, err = clause.GroupingSets(items, false)
	}
	return err
}
