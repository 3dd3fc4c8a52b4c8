package session

import (
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// insertsBlindly says whether a statement may put its rows without a look at their keys: if it is the only
// one of its implicit transaction, whose commit comes before the client hears of it.
func (s runner) insertsBlindly(st *Statement, last bool) bool {
	n, ok := st.plan.(plan.Insert)
	return ok && n.Blind && last && s.txn.Untouched() && s.retries.repeatable()
}

// blindInsert lets a statement put its rows blindly, once.
func (s runner) blindInsert(e *execution) *executor.BlindInsert {
	if e.blind != nil || s.retries.retrying || !s.insertsBlindly(e.statement, e.last) {
		return nil
	}
	e.blind, e.table = &executor.BlindInsert{}, plan.Target(e.statement.plan)
	return e.blind
}

// planOf is what a run of a statement runs: where it has put rows blindly before, in vain, an insert of
// these rows.
func (e *execution) planOf(whole plan.Node) plan.Node {
	n, ok := whole.(plan.Insert)
	if !ok || e.blind == nil || e.blind.Rows == nil || e.table != n.Table {
		return whole
	}
	n.Input = constants(e.blind.Rows, n.Input.Columns())
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
