package session

import (
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// unseen says whether a statement may put its rows without a look at their keys: if it is the only
// one of its implicit transaction, whose commit comes before the client hears of it.
func (s *Session) unseen(st *Statement, last bool) bool {
	n, ok := st.plan.(plan.Insert)
	return ok && n.Unseen && last && s.txn.untouched() && s.repeatable()
}

// putUnseen lets a statement put its rows unseen, once.
func (s *Session) putUnseen(e *execution) *executor.Unseen {
	if e.unseen != nil || s.retrying || !s.unseen(e.statement, e.last) {
		return nil
	}
	e.unseen, e.table = &executor.Unseen{}, plan.Target(e.statement.plan)
	return e.unseen
}

// planOf is what a run of a statement runs: where it has put rows unseen before, in vain, an insert of
// these rows.
func (e *execution) planOf(whole plan.Node) plan.Node {
	n, ok := whole.(plan.Insert)
	if !ok || e.unseen == nil || e.unseen.Rows == nil || e.table != n.Table {
		return whole
	}
	n.Input = constants(e.unseen.Rows, n.Input.Columns())
	return n
}

// constants are rows that are known.
func constants(rows []types.Row, cols []plan.Column) plan.Values {
	out := plan.Values{Cols: cols, Rows: make([][]expr.Expr, len(rows))}
	for i, row := range rows {
		for at, v := range row {
			out.Rows[i] = append(out.Rows[i], expr.Const{Value: v, T: cols[at].Type})
		}
	}
	return out
}
