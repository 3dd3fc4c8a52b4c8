package keytext

import (
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/parser"
	"zproxy/planner/clause"
)

// Names are the names of the columns of an index, as PostgreSQL chooses them: those of columns, and names after
// expressions, with a number where one before has the name.
func Names(t *catalog.Table, ids []uint32) []string {
	var out []string
	for _, id := range ids {
		c := &t.Columns[t.Ordinal(id)]
		name := c.Name
		if c.Expression() {
			name = "expr"
			if tree, err := parser.Expression(c.Generated.Text); err == nil {
				name = clause.IndexColumnName(tree)
			}
		}
		unique := name
		for i := 1; slices.Contains(out, unique); i++ {
			unique = name + strconv.Itoa(i)
		}
		out = append(out, unique)
	}
	return out
}
