package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// project delivers one row of expressions for each row of its input.
func project(f frame, n plan.Project) Rows {
	input := f.input(n.Input)
	if passes(n) {
		return input
	}
	return func(yield func(*types.Batch, error) bool) {
		out := f.env.Tables.batches.Get(len(n.Exprs))
		defer f.env.Tables.batches.Put(out)
		p := projection{exprs: n.Exprs, columns: keyColumns{keys: n.Exprs, by: f.env.Expr},
			ordered: slices.ContainsFunc(n.Exprs, mayAct)}
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			if err == nil {
				err = p.run(batch, out)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// projection computes expressions for the rows of batches.
type projection struct {
	exprs   []expr.Expr
	columns keyColumns
	ordered bool // all expressions are computed for a row before any is for the next one
}

// run fills a batch with the values for the rows of another one: columns where that is columns.
func (p *projection) run(batch, out *types.Batch) error {
	rows := batch.Len()
	if !batch.Columnar() || rows <= fewRows || p.ordered {
		out.Reset(len(p.exprs))
		for i := range rows {
			if err := evaluate(out.Extend(), p.exprs, p.columns.by, batch.Row(i)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := p.columns.load(batch); err != nil {
		return err
	}
	to := out.Columns(len(p.exprs))
	for at, v := range p.columns.of {
		to[at].AppendFrom(0, v, 0, rows)
	}
	out.Grow(rows)
	return nil
}

// mayAct says whether computing an expression may change something, or gives another value each time.
func mayAct(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case expr.Subquery:
			return len(x.Depends) > 0
		case expr.Call:
			return x.Fn.Volatility == expr.Volatile
		}
		return false
	})
}

// passes says whether the rows of a projection are those of a scan below as they are. The scan
// asks for itself whether the statement is to stop.
func passes(n plan.Project) bool {
	scan, ok := n.Input.(plan.Scan)
	if !ok || len(n.Exprs) != len(scan.Cols) {
		return false
	}
	for i, e := range n.Exprs {
		if column, ok := e.(expr.Column); !ok || column.Index != i {
			return false
		}
	}
	return true
}

// evaluate fills dst with the values of expressions for a row.
func evaluate(dst []types.Value, exprs []expr.Expr, c *expr.Context, row types.Row) error {
	for i, e := range exprs {
		if column, ok := e.(expr.Column); ok {
			dst[i] = row[column.Index]
			continue
		}
		v, err := e.Eval(c, row)
		if err != nil {
			return err
		}
		dst[i] = v
	}
	return nil
}

// values delivers rows of expressions that read no columns.
func values(f frame, n plan.Values) Rows {
	return func(yield func(*types.Batch, error) bool) {
		out := types.NewBatch(len(n.Cols))
		for i, exprs := range n.Rows {
			if err := evaluate(out.Add(), exprs, f.env.Expr, nil); err != nil {
				yield(nil, err)
				return
			}
			if last := i == len(n.Rows)-1; !last && !out.Full() {
				continue
			}
			if err := f.canceled(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
			out.Reset(len(n.Cols))
		}
	}
}
