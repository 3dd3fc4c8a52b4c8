package planner

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/types"
)

// sequenceRow plans a sequence in FROM: one row that tells how far it is.
func (f *from) sequenceRow(q *catalog.Sequence, item *ast.FromTable) (source, error) {
	call := expr.Call{Fn: system.SequenceRow, Args: []expr.Expr{sequenceConst(q.ID)},
		T: types.Of(system.SequenceRow.Result)}
	n := plan.FunctionScan{Calls: []expr.Call{call}, Alias: cmp.Or(item.Alias, q.Name)}
	for i, c := range system.SequenceRow.Out {
		n.Cols = append(n.Cols, plan.Column{Name: c.Name, Type: types.Of(c.Type), Table: q.ID, Attribute: int16(i + 1)})
	}
	out, err := named(n, n.Alias, item.Columns)
	if err == nil {
		out.rels[0].Needs = f.Need(q, catalog.MaySelect)
	}
	return out, err
}

func sequenceConst(id uint32) expr.Expr {
	return expr.Const{Value: types.NewInt(int64(id)), T: types.Of(types.OIDRegclass)}
}
