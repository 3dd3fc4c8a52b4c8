package planner

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/sqlerr"
)

// maxDepth bounds what nests in a plan, and while it is made: expressions, queries, also those of views
// over views, and the items of FROM and WITH, of which each goes around the ones before. Go ends the
// process when a stack outgrows its bound.
const maxDepth = 5000

// maxQueries is how many of them may be queries.
const maxQueries = 500

// nesting is how deep in a statement, and in the queries of views behind it, its planner is.
type nesting struct {
	depth   int
	queries int
	views   []uint32 // the numbers of those whose queries are being planned, the outermost first
}

// enter goes down by some levels. Who calls it calls leave with the same number, also after an error.
func (n *nesting) enter(levels int) error {
	if n.depth += levels; n.depth > maxDepth {
		return tooDeep("The statement is nested more than %d deep.", maxDepth)
	}
	return nil
}

func (n *nesting) leave(levels int) { n.depth -= levels }

// enterQuery is enter for a query, which leaveQuery leaves.
func (n *nesting) enterQuery() error {
	n.queries++
	err := n.enter(1)
	if n.queries > maxQueries {
		err = cmp.Or(err, tooDeep("Queries are nested more than %d deep.", maxQueries))
	}
	return err
}

func (n *nesting) leaveQuery() {
	n.queries--
	n.leave(1)
}

// enterView begins with the query of a view, which must not be a part of itself.
func (n *nesting) enterView(v *catalog.View) error {
	for _, id := range n.views {
		if id == v.ID && id != 0 {
			return sqlerr.New(sqlerr.InvalidObjectDefinition, "infinite recursion detected in rules for relation %q",
				v.Name)
		}
	}
	n.views = append(n.views, v.ID)
	return nil
}

func (n *nesting) leaveView() { n.views = n.views[:len(n.views)-1] }

func tooDeep(hint string, most int) error {
	return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").WithHint(hint, most)
}
