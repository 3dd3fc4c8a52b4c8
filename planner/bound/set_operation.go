package bound

import (
	"slices"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
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
	if len(l) != len(r) {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "each %s query must have the same number of columns", "UNION")
	}
	for i := range l {
		t := commonType([]Node{&CaseTest{typed{l[i].t}}, &CaseTest{typed{r[i].t}}})
		for _, side := range []SetSide{left, right} {
			if err := side.typeLiteral(a.Source, i, t); err != nil {
				return nil, nil, err
			}
		}
		if l[i].t.OID != t || l[i].t != r[i].t {
			l[i].t = types.Of(t)
		}
	}
	return &SetOp{s.Kind, s.All, left, right}, l, nil
}

// typeLiteral gives a literal of a side the type of its column.
func (s SetSide) typeLiteral(from *Source, at int, t types.OID) (err error) {
	if s.Query == nil || s.Query.Set != nil {
		return nil
	}
	if c, ok := s.Query.Targets[at].Expr.(*Constant); ok && c.T.OID == types.OIDUnknown {
		s.Query.Targets[at].Expr, err = from.to(c, types.Of(t), types.Implicit)
	}
	return err
}

func (a clauses) setSide(s *ast.Select) (SetSide, []Column, error) {
	alone := s.OrderBy == nil && s.Limit == nil && s.Offset == nil && s.Locking == nil && s.With == nil
	if s.SetOp != nil && alone {
		op, cols, err := a.setTree(s.SetOp)
		return SetSide{Op: op}, cols, err
	}
	q, err := a.query(s, true)
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
