package clause

import (
	"cmp"
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Traversal is what SEARCH and CYCLE add to a recursive query.
type Traversal[E analyze.Typed] struct {
	Columns        []Column // the sequence, the mark and the path, of those that there are
	Value, Default E        // of the mark
	Search, Cycle  []int    // the columns of the query that they go by
}

// NewTraversal analyzes SEARCH and CYCLE of a query with columns, nil where there is neither.
func NewTraversal[E analyze.Typed](a analyze.Analysis[E], c ast.CommonTable, columns []string) (*Traversal[E], error) {
	if c.Search == nil && c.Cycle == nil {
		return nil, nil
	}
	t := &Traversal[E]{}
	var err error
	if s := c.Search; s != nil {
		by := listedColumns{what: "search", of: columns, pos: s.Pos}
		if t.Search, err = by.find(s.Columns); err != nil {
			return nil, err
		}
		if err := by.fresh("search sequence", s.Sequence); err != nil {
			return nil, err
		}
		of := types.Record
		if !s.Breadth {
			of, _ = types.ArrayOf(of)
		}
		t.Columns = append(t.Columns, Column{s.Sequence, of})
	}
	if c.Cycle != nil {
		if err := t.cycle(a, c.Cycle, columns); err != nil {
			return nil, err
		}
	}
	if c.Search != nil && c.Cycle != nil {
		for _, other := range [][2]string{{"mark", c.Cycle.Mark}, {"path", c.Cycle.Path}} {
			if c.Search.Sequence == other[1] {
				return nil, sqlerr.New(sqlerr.SyntaxError,
					"search sequence column name and cycle %s column name are the same", other[0]).At(int(c.Search.Pos))
			}
		}
	}
	return t, nil
}

func (t *Traversal[E]) cycle(a analyze.Analysis[E], c *ast.Cycle, columns []string) error {
	by := listedColumns{what: "cycle", of: columns, pos: c.Pos}
	var err error
	if t.Cycle, err = by.find(c.Columns); err != nil {
		return err
	}
	if err := by.fresh("cycle mark", c.Mark); err != nil {
		return err
	}
	marks, mark, err := a.CommonOf([]ast.Expr{c.Value, c.Default}, "CYCLE")
	if err != nil {
		return err
	}
	if err := Equatable(mark, -1); err != nil {
		return err
	}
	if err := by.fresh("cycle path", c.Path); err != nil {
		return err
	}
	if c.Mark == c.Path {
		return sqlerr.New(sqlerr.SyntaxError, "cycle mark column name and cycle path column name are the same").
			At(int(c.Pos))
	}
	t.Value, t.Default = marks[0], marks[1]
	path, _ := types.ArrayOf(types.Record)
	t.Columns = append(t.Columns, Column{c.Mark, mark}, Column{c.Path, path})
	return nil
}

// listedColumns are the columns that a clause names.
type listedColumns struct {
	what string
	of   []string
	pos  ast.Pos
}

// find is where the columns are.
func (l listedColumns) find(list []string) ([]int, error) {
	out := make([]int, len(list))
	for i, name := range list {
		switch out[i] = slices.Index(l.of, name); {
		case out[i] < 0:
			return nil, l.wrong(sqlerr.SyntaxError, "%s column \"%s\" not in WITH query column list", l.what, name)
		case slices.Contains(list[:i], name):
			return nil, l.wrong(sqlerr.DuplicateColumn, "%s column \"%s\" specified more than once", l.what, name)
		}
	}
	return out, nil
}

// fresh wants the name of a column that is added not to be one of the others.
func (l listedColumns) fresh(what, name string) error {
	if !slices.Contains(l.of, name) {
		return nil
	}
	return l.wrong(sqlerr.SyntaxError, "%s column name \"%s\" already used in WITH query column list", what, name)
}

func (l listedColumns) wrong(code sqlerr.Code, format string, args ...any) error {
	return sqlerr.New(code, format, args...).At(int(l.pos))
}

// Traversed wants a query with SEARCH or CYCLE to be recursive, between two that are no set operations.
func Traversed(c ast.CommonTable, s *ast.Select) error {
	if c.Search == nil && c.Cycle == nil {
		return nil
	}
	if s == nil {
		return NotRecursive(c)
	}
	if s.SetOp.Left.SetOp != nil {
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"with a SEARCH or CYCLE clause, the left side of the UNION must be a SELECT")
	}
	if s.SetOp.Right.SetOp != nil {
		return sqlerr.New(sqlerr.SyntaxError,
			"with a SEARCH or CYCLE clause, the right side of the UNION must be a SELECT")
	}
	return nil
}

// NotRecursive is the error of a query with SEARCH or CYCLE that does not name itself.
func NotRecursive(c ast.CommonTable) error {
	return sqlerr.New(sqlerr.SyntaxError, "WITH query is not recursive").At(int(c.Pos))
}

// SelfReference is the name by which a query has a query of a WITH around it in its own FROM, empty where it does not.
func SelfReference(s *ast.Select, of string) string {
	if s.With != nil && slices.ContainsFunc(s.With.Queries, func(c ast.CommonTable) bool { return c.Name == of }) {
		return ""
	}
	return nameIn(s.From, of)
}

func nameIn(list []ast.From, of string) string {
	for _, item := range list {
		switch item := item.(type) {
		case *ast.FromTable:
			if item.Name.Schema == "" && item.Name.Name == of {
				return cmp.Or(item.Alias, of)
			}
		case *ast.FromJoin:
			if name := nameIn([]ast.From{item.Left, item.Right}, of); name != "" {
				return name
			}
		case *ast.FromSelect, *ast.FromFunction:
		}
	}
	return ""
}
