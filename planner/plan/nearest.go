package plan

import (
	"math"

	"zproxy/expr"
	"zproxy/types"
)

// Nearest is the rows of All ordered by Keys, the first Most of them. The first key is the distance of a point of the
// row from Center. Near has those rows of All whose distance is at most a radius, which it reads as expr.Outer of
// Slot. If these are as many as are wanted, no other row comes before them. So Near runs for one radius after the
// other, and All for what no radius was large enough.
type Nearest struct {
	Near, All Node
	Keys      []SortKey
	Most      *Limit
	Slot      int
	Center    expr.Expr // fixed while the plan runs
	spread
}

// spread is how the rows of All are thought to lie in the plane.
type spread struct {
	Low, High [2]float64 // a box with most of them
	One       float64    // the radius of a circle with one of them, around the center
	Widest    float64    // the radius beyond which reading all rows is cheaper than one more round
}

// First is the radius of the first round for so many rows. It is thought to have twice as many, since they do not lie
// evenly.
func (n Nearest) First(want float64) float64 { return n.One * math.Sqrt(2*want) }

// Radii are those of the rounds for so many rows, each beyond the last one twice as far from where rows may begin to
// be. Where distances are NULL there are none.
func (n Nearest) Radii(c *expr.Context, want int64) ([]float64, error) {
	gap, ok, err := n.Gap(c)
	if err != nil || !ok {
		return nil, err
	}
	var out []float64
	for r := n.First(float64(want)); r <= n.Widest; r *= 2 {
		out = append(out, gap+r)
	}
	return out, nil
}

// Gap is how far the center is from the box with most of the rows. It says false where all distances are NULL.
func (n Nearest) Gap(c *expr.Context) (gap float64, ok bool, err error) {
	center, err := n.Center.Eval(c, nil)
	if err != nil || center.IsNull() {
		return 0, false, err
	}
	low, high, ok, err := extent(center, n.Center.Type().OID)
	for i := range low {
		gap = math.Hypot(gap, max(0, n.Low[i]-high[i], low[i]-n.High[i]))
	}
	return gap, ok && !math.IsInf(gap, 0), err
}

// From reads a distance, from which it takes the center, and gives the column of points that it is the distance of.
func (n *Nearest) From(distance expr.Expr) (column expr.Column, ok bool) {
	call, ok := distance.(expr.Call)
	if !ok || !measuring[call.Fn.Name] || len(call.Args) != 2 {
		return column, false
	}
	column, args, ok := around(call.Args[0], call.Args[1])
	if ok {
		n.Center = args[0]
	}
	return column, ok
}

// Within is the condition that a distance is at most the radius.
func (n Nearest) Within(distance expr.Expr) expr.Expr {
	return expr.Compare{Op: expr.LE, Left: distance, Right: expr.Outer{Slot: n.Slot, Name: "radius", T: types.Float8}}
}

func (Nearest) node() {}

// Inputs implements Node.
func (n Nearest) Inputs() []Node { return []Node{n.Near, n.All} }

// WithInputs implements Node.
func (n Nearest) WithInputs(in []Node) Node { n.Near, n.All = in[0], in[1]; return n }

// Columns implements Node.
func (n Nearest) Columns() []Column { return n.All.Columns() }
