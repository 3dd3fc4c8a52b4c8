package bind

import (
	"cmp"
	"slices"

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
	guarded []uint32 // the numbers of tables of which queries in policies are being planned
}

// Enter goes down by some levels. Who calls it calls Leave with the same number, also after an error.
func (n *nesting) Enter(levels int) error {
	if n.depth += levels; n.depth > maxDepth {
		return tooDeep("The statement is nested more than %d deep.", maxDepth)
	}
	return nil
}

// Leave goes up again.
func (n *nesting) Leave(levels int) { n.depth -= levels }

// EnterQuery is Enter for a query, which LeaveQuery leaves.
func (n *nesting) EnterQuery() error {
	n.queries++
	err := n.Enter(1)
	if n.queries > maxQueries {
		err = cmp.Or(err, tooDeep("Queries are nested more than %d deep.", maxQueries))
	}
	return err
}

// LeaveQuery is Leave for a query.
func (n *nesting) LeaveQuery() {
	n.queries--
	n.Leave(1)
}

// EnterView begins with the query of a view, which must not be a part of itself.
func (n *nesting) EnterView(v *catalog.View) error {
	for _, id := range n.views {
		if id == v.ID && id != 0 {
			return sqlerr.New(sqlerr.InvalidObjectDefinition, "infinite recursion detected in rules for relation %q",
				v.Name)
		}
	}
	n.views = append(n.views, v.ID)
	return nil
}

// LeaveView ends with the query of a view.
func (n *nesting) LeaveView() { n.views = n.views[:len(n.views)-1] }

// Guards says whether a query in a policy of a table is being planned.
func (n *nesting) Guards(t *catalog.Table) bool { return slices.Contains(n.guarded, t.ID) }

// EnterPolicy begins with a query in a policy of a table, which must not need such a policy itself.
func (n *nesting) EnterPolicy(t *catalog.Table) error {
	if n.Guards(t) {
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "infinite recursion detected in policy for relation %q",
			t.Name)
	}
	n.guarded = append(n.guarded, t.ID)
	return nil
}

// LeavePolicy ends with the query.
func (n *nesting) LeavePolicy() { n.guarded = n.guarded[:len(n.guarded)-1] }

func tooDeep(hint string, most int) error {
	return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").WithHint(hint, most)
}
