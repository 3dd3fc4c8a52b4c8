package session

import (
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// writesBlindly says whether a statement may write without a look at what is there: if it is the only
// one of its implicit transaction, whose commit comes before the client hears of it. A store with snapshots
// looks itself when it commits a blind delete, which saves nothing.
func (s runner) writesBlindly(st *Statement, last bool) bool {
	blind := false
	switch n := st.plan.(type) {
	case plan.Insert:
		blind = n.Blind
	case plan.Delete:
		blind = n.Blind && !s.db.Store.Capabilities().Snapshots
	}
	return blind && last && s.txn.Untouched() && s.retries.repeatable()
}

// blindWrite lets a statement write blindly, once.
func (s runner) blindWrite(e *execution) *executor.BlindWrite {
	if e.blind != nil || s.retries.retrying || !s.writesBlindly(e.statement, e.last) {
		return nil
	}
	e.blind, e.table = &executor.BlindWrite{}, plan.Target(e.statement.plan)
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
