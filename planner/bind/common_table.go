package bind

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// CommonTables are the queries of WITH clauses that can be named, the innermost first.
type CommonTables struct {
	Name   string
	Number int
	Cols   []plan.Column
	// Within tells what a query that is being planned must not do with its own name; nil
	// where it is a table like others.
	Within *sqlerr.Error
	Once   bool // the recursive term may name it only once
	Later  bool // it cannot be named yet
	Added  int  // columns at the end that * leaves out
	Used   *int
	// Depends are the slots that its query reads, which its readers then depend on, too.
	Depends map[int]bool
	Outer   *Scope // around the WITH
	Next    *CommonTables
}

// With are the common tables in front of which a query of WITH stands, with columns under the names that it gives them.
func (c *CommonTables) With(q ast.CommonTable, number int, cols []plan.Column) (*CommonTables, error) {
	if len(q.Columns) > len(cols) {
		return nil, sqlerr.New(sqlerr.InvalidColumnReference,
			"WITH query %q has %d columns available but %d columns specified", q.Name, len(cols), len(q.Columns)).
			At(int(q.Pos))
	}
	cols = slices.Clone(cols)
	for i, name := range q.Columns {
		cols[i].Name = name
	}
	return &CommonTables{Name: q.Name, Number: number, Cols: cols, Used: new(int), Next: c}, nil
}

// Recursive is the query of a WITH whose right side may name it, nil when it is none.
func Recursive(w *ast.With, c ast.CommonTable) *ast.Select {
	s, ok := c.Statement.(*ast.Select)
	if !ok || !w.Recursive || s.SetOp == nil || s.SetOp.Kind != ast.Union {
		return nil
	}
	return s
}

// Find is the common table of a name, nil when there is none that can be named.
func (c *CommonTables) Find(name ast.Name) *CommonTables {
	for ; c != nil && name.Schema == ""; c = c.Next {
		if c.Name == name.Name && !c.Later {
			return c
		}
	}
	return nil
}

// Refused are the common tables where a recursive term must not name the query that it is
// a part of.
func (c *CommonTables) Refused(where string) *CommonTables {
	if c == nil {
		return nil
	}
	next := c.Next.Refused(where)
	if next == c.Next && !c.Once {
		return c
	}
	out := *c
	if out.Next = next; c.Once && c.Within == nil {
		out.Within = sqlerr.New(sqlerr.InvalidRecursion, "recursive reference to query %q must not appear within %s",
			c.Name, where)
	}
	return &out
}

// Explain says of a missing relation that it is a query of WITH which comes later.
func (c *CommonTables) Explain(name ast.Name, err error) error {
	missing, ok := err.(*sqlerr.Error)
	for ; ok && name.Schema == "" && c != nil; c = c.Next {
		if c.Name == name.Name && c.Later {
			return missing.WithDetail("There is a WITH item named %q, but it cannot be referenced from this part of the query.", name.Name).
				WithHint("Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
		}
	}
	return err
}
