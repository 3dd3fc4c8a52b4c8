package bound

import (
	"slices"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/clause"
	"zproxy/types"
)

// SetOp is a set operation; its sides are a query or another one.
type SetOp struct {
	Kind        ast.SetKind
	All         bool
	Left, Right SetSide
}

// SetSide is a side of a set operation: one of them is set.
type SetSide struct {
	Query *Query
	Op    *SetOp
}

// setOperation analyzes UNION and its like. ORDER BY names its columns.
func (a clauses) setOperation(s *ast.Select) error {
	op, cols, err := a.setTree(s.SetOp)
	if err != nil {
		return err
	}
	a.q.Set = op
	rel := &Relation{Cols: cols}
	for i, c := range cols {
		a.q.Targets = append(a.q.Targets, Target{&Variable{rel, i, typed{c.t}}, c.Name})
	}
	return a.orderBy(s)
}

func (a clauses) setTree(s *ast.SetOp) (*SetOp, []Column, error) {
	left, l, err := a.setSide(s.Left)
	if err != nil {
		return nil, nil, err
	}
	right, r, err := a.setSide(s.Right)
	if err != nil {
		return nil, nil, err
	}
	cols, sides, err := clause.Matched(a.coercion(), s, left.outputs(l), right.outputs(r))
	if err != nil {
		return nil, nil, err
	}
	for i, c := range cols {
		l[i] = Column{Name: c.Name, t: c.Type}
		left.typeLiteral(i, sides[0][i])
		right.typeLiteral(i, sides[1][i])
	}
	return &SetOp{s.Kind, s.All, left, right}, l, nil
}

// outputs are the columns of a side. What is no literal is not cast.
func (s SetSide) outputs(cols []Column) (out []clause.Output[Node]) {
	for i, c := range cols {
		o := clause.Output[Node]{Expr: &CaseTest{typed{c.t}}, Name: c.Name}
		if literal := s.literal(i); literal != nil {
			o.Expr = *literal
		}
		out = append(out, o)
	}
	return out
}

// literal is a literal of a side that has no type yet, nil where a column is none.
func (s SetSide) literal(i int) *Node {
	if s.Query == nil || s.Query.Set != nil {
		return nil
	}
	n := &s.Query.Targets[i].Expr
	if c, ok := (*n).(*Constant); ok && c.T.OID == types.OIDUnknown {
		return n
	}
	return nil
}

// typeLiteral gives a literal of a side the type of its column.
func (s SetSide) typeLiteral(i int, typed Node) {
	if literal := s.literal(i); literal != nil {
		*literal = typed
	}
}

func (a clauses) setSide(s *ast.Select) (SetSide, []Column, error) {
	alone := s.OrderBy == nil && s.Limit == nil && s.Offset == nil && s.Locking == nil && s.With == nil
	if s.SetOp != nil && alone {
		op, cols, err := a.setTree(s.SetOp)
		return SetSide{Op: op}, cols, err
	}
	q, err := a.query(s, clause.Open(s))
	if err != nil {
		return SetSide{}, nil, err
	}
	n := 1
	for slices.ContainsFunc(a.q.Relations, func(r *Relation) bool { return r.Name == "*SELECT* "+strconv.Itoa(n) }) {
		n++
	}
	a.q.Relations = append(a.q.Relations, &Relation{Kind: QueryKind, Name: "*SELECT* " + strconv.Itoa(n), Query: q})
	return SetSide{Query: q}, q.columns(), nil
}
