package vector

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// rowwise is any expression, row by row.
type rowwise struct {
	of    expr.Expr
	test  expr.Predicate // whether it is true
	reads []int          // the columns that it reads
	row   types.Row      // of a batch of columns: the values of those
	out   types.Vector
}

func newRowwise(e expr.Expr, c *expr.Context) *rowwise {
	reads := map[int]bool{}
	expr.Columns(e, reads)
	return &rowwise{of: e, test: expr.Predicates([]expr.Expr{e}, c)[0], reads: slices.Collect(maps.Keys(reads))}
}

// rowOf is a row of the batch. That of columns has only the values that are read.
func (n *rowwise) rowOf(r *run, i int32) types.Row {
	if !r.batch.Columnar() {
		return r.batch.Row(int(i))
	}
	if width := r.batch.Width(); len(n.row) != width {
		n.row = make(types.Row, width)
	}
	for _, c := range n.reads {
		n.row[c] = r.batch.Column(c).Value(int(i))
	}
	return n.row
}

// choose implements chooser.
func (n *rowwise) choose(r *run, sel, out []int32) ([]int32, error) {
	for _, i := range sel {
		ok, err := n.test(n.rowOf(r, i))
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, i)
		}
	}
	return out, nil
}

func (n *rowwise) eval(r *run, sel []int32) (*types.Vector, error) {
	n.out.Shape(types.KindNull, r.batch.Len())
	for _, i := range sel {
		v, err := n.of.Eval(r.context, n.rowOf(r, i))
		if err != nil {
			return nil, err
		}
		n.out.Values[i] = v
	}
	return &n.out, nil
}
