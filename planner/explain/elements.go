package explain

import (
	"fmt"
	"strings"

	"zproxy/expr"
	"zproxy/expr/inverted"
	"zproxy/planner/plan"
)

// elements shows how many elements of an inverted index are read, and how many of them rows must have, if that is
// known.
func elements(c *expr.Context, p plan.Elements) []property {
	q, err := p.Query(c)
	if err != nil {
		return nil
	}
	return []property{textProperty("Elements", elementsOf(q))}
}

// elementsOf is the form of a query: 1, all of 3, any of 2, 4 of 9, all of (1, any of 2).
func elementsOf(q inverted.Query) string {
	switch {
	case q.All:
		return "every row"
	case q.Leaf() && q.Prefix:
		return "1 beginning"
	case q.Leaf():
		return "1"
	case len(q.Of) == 0:
		return "none"
	}
	of := fmt.Sprint(len(q.Of))
	for _, one := range q.Of {
		if !one.Leaf() {
			list := make([]string, len(q.Of))
			for i := range list {
				list[i] = elementsOf(q.Of[i])
			}
			of = "(" + strings.Join(list, ", ") + ")"
			break
		}
	}
	switch q.Least {
	case len(q.Of):
		return "all of " + of
	case 1:
		return "any of " + of
	}
	return fmt.Sprintf("%d of %s", q.Least, of)
}
