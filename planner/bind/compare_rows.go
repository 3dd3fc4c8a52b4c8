package bind

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Pairs implements analyze.Maker.
func (m maker) Pairs(sign string, left, right []expr.Expr, pos ast.Pos) ([]expr.Expr, error) {
	l, r, err := m.pairwise(sign, left, right, pos)
	if err != nil {
		return nil, err
	}
	op, ok := comparisons[sign]
	if !ok {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported,
			"could not determine interpretation of row comparison operator %s", sign).
			WithHint("Row comparison operators must be associated with btree operator families.").At(int(pos))
	}
	out := make([]expr.Expr, len(l))
	for i := range out {
		out[i] = expr.Compare{Op: op, Left: l[i], Right: r[i]}
	}
	return out, nil
}

// RowCompare implements analyze.Maker.
func (m maker) RowCompare(pairs []expr.Expr) expr.Expr {
	var out expr.RowCompare
	for _, p := range pairs {
		c := p.(expr.Compare)
		out.Op, out.Left, out.Right = c.Op, append(out.Left, c.Left), append(out.Right, c.Right)
	}
	return out
}

// pairwise brings the fields of two rows to types that can be compared. With an operator that does
// not compare, it only finds what is wrong first.
func (b *Binder) pairwise(sign string, left, right []expr.Expr, pos ast.Pos) (l, r []expr.Expr, err error) {
	l, r = make([]expr.Expr, len(left)), make([]expr.Expr, len(left))
	_, compares := comparisons[sign]
	for i := range left {
		if compares {
			l[i], r[i], err = b.comparable(sign, left[i], right[i], pos)
		} else if l[i], err = b.operator(sign, []expr.Expr{left[i], right[i]}, pos); err == nil {
			r[i], err = right[i], yieldsBool(l[i], pos)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return l, r, nil
}

// yieldsBool refuses an operator that says anything else of two fields.
func yieldsBool(e expr.Expr, pos ast.Pos) error {
	if e.Type().OID == types.OIDBool {
		return nil
	}
	return sqlerr.New(sqlerr.DatatypeMismatch, "row comparison operator must yield type boolean, not type %s",
		e.Type()).At(int(pos))
}

// RowsDistinct implements analyze.Maker.
func (m maker) RowsDistinct(ls, rs []expr.Expr, e *ast.Distinct) (expr.Expr, error) {
	if len(ls) != len(rs) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "unequal number of entries in row expressions").At(int(e.Pos))
	}
	var all []expr.Expr
	for i := range ls {
		l, r, err := m.comparable("=", ls[i], rs[i], e.Pos)
		if err != nil {
			return nil, err
		}
		all = append(all, expr.Distinct{Left: l, Right: r, Not: e.Not})
	}
	if len(all) == 0 {
		return expr.Const{Value: types.NewBool(e.Not), T: types.Bool}, nil
	}
	if e.Not || len(all) == 1 {
		return expr.Conjoin(all), nil
	}
	return expr.Logic{Or: true, Args: all}, nil
}
