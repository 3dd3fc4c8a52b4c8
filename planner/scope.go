package planner

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// scope is the columns that names may refer to: those of the FROM list, side by side.
type scope struct {
	relations []relation
	// said remembers where a column was last named, for errors that come later.
	said map[int]ast.Pos
	// target is the table that an INSERT writes to, whose columns have no values yet.
	target *catalog.Table
	// refusal is the error where no column may stand.
	refusal string
}

// relation is one item of a FROM list.
type relation struct {
	schema string
	name   string // the alias, or the table's own name
	behind string // the table's own name where the alias hides it
	cols   []plan.Column
	hidden []bool // not in *
	first  int    // place of its first column in the row
}

func newScope(relations ...relation) *scope {
	return &scope{relations: relations, said: map[int]ast.Pos{}}
}

// column resolves c, t.c or s.t.c.
func (s *scope) column(e *ast.Column) (expr.Expr, error) {
	if s.refusal != "" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%s", s.refusal).At(int(e.Pos))
	}
	name := e.Parts[len(e.Parts)-1]
	rels, err := s.named(e.Parts[:len(e.Parts)-1], e.Pos)
	if err != nil {
		return nil, err
	}
	found := -1
	var col plan.Column
	for _, r := range rels {
		for i, c := range r.cols {
			if c.Name != name || r.hidden != nil && r.hidden[i] {
				continue
			}
			if found >= 0 {
				return nil, sqlerr.New(sqlerr.AmbiguousColumn, "column reference %q is ambiguous", name).At(int(e.Pos))
			}
			found, col = r.first+i, c
		}
	}
	if found < 0 {
		err := sqlerr.New(sqlerr.UndefinedColumn, "column %s does not exist", quoteParts(e.Parts)).At(int(e.Pos))
		if s.target != nil && s.target.Column(name) >= 0 {
			err = err.WithHint("There is a column named %q in table %q, but it cannot be referenced from this part of the query.", name, s.target.Name)
		}
		return nil, err
	}
	s.said[found] = e.Pos
	return expr.Column{Index: found, Name: col.Name, T: col.Type}, nil
}

// quoteParts writes a column's name as PostgreSQL's message does: "c", but t.c bare.
func quoteParts(parts []string) string {
	if len(parts) == 1 {
		return `"` + parts[0] + `"`
	}
	return strings.Join(parts[len(parts)-2:], ".")
}

// named are the relations that a qualifier names; all of them without one.
func (s *scope) named(qualifier []string, pos ast.Pos) ([]relation, error) {
	if len(qualifier) == 0 {
		return s.relations, nil
	}
	for _, r := range s.relations {
		if r.name == qualifier[len(qualifier)-1] && (len(qualifier) == 1 || r.schema == qualifier[len(qualifier)-2]) {
			return []relation{r}, nil
		}
	}
	for _, r := range s.relations {
		if r.behind != "" && r.behind == qualifier[len(qualifier)-1] {
			return nil, sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", r.behind).
				WithHint("Perhaps you meant to reference the table alias %q.", r.name).At(int(pos))
		}
	}
	if len(qualifier) > 1 && slices.ContainsFunc(s.relations, func(r relation) bool { return r.name == qualifier[len(qualifier)-1] }) {
		return nil, sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", qualifier[len(qualifier)-1]).
			WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query.", qualifier[len(qualifier)-1]).At(int(pos))
	}
	return nil, sqlerr.New(sqlerr.UndefinedTable, "missing FROM-clause entry for table %q", qualifier[len(qualifier)-1]).At(int(pos))
}

// star lists the columns that * or t.* stands for.
func (s *scope) star(e *ast.Star) ([]expr.Expr, []plan.Column, error) {
	rels, err := s.named(e.Table, e.Pos)
	if err != nil {
		return nil, nil, err
	}
	if len(rels) == 0 {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid").At(int(e.Pos))
	}
	var exprs []expr.Expr
	var cols []plan.Column
	for _, r := range rels {
		for i, c := range r.cols {
			if r.hidden != nil && r.hidden[i] {
				continue
			}
			exprs = append(exprs, expr.Column{Index: r.first + i, Name: c.Name, T: c.Type})
			cols = append(cols, c)
			s.said[r.first+i] = e.Pos
		}
	}
	return exprs, cols, nil
}

// origin is the column that an expression is, with its table, or a new column.
func (s *scope) origin(e expr.Expr, name string) plan.Column {
	if c, ok := e.(expr.Column); ok {
		for _, r := range s.relations {
			if i := c.Index - r.first; i >= 0 && i < len(r.cols) {
				col := r.cols[i]
				col.Name = name
				return col
			}
		}
	}
	return plan.Column{Name: name, Type: e.Type()}
}
