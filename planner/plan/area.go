package plan

import (
	"math"

	"zproxy/catalog/axis"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/geo"
	"zproxy/types/spatial"
)

// A condition on how a point lies to a fixed shape bounds both coordinates of the point: ST_DWithin(at, shape, 5) holds
// only where at is in the bounding box of the shape, grown by 5. The condition itself is still to be checked.

// area is the bounding box of a shape, of which a term takes one axis. The shape is the first argument of the term; the
// box is grown by the second one, if it has two.
type area struct {
	shape types.OID
	axis  int
}

// AxisTerm is a term on an axis of a column, or on a normal form of it.
type AxisTerm struct {
	Column expr.Column
	Axis   uint32 // of Column as column 0, see axis.Of and axis.Formed
	Term
}

// AxisTerms read a condition that bounds the coordinates of points in a column, or its texts in a normal form.
func AxisTerms(cond expr.Expr) []AxisTerm {
	column, args, ok := areaOf(cond)
	if !ok {
		return formTerm(cond)
	}
	var out []AxisTerm
	for i, axis := range axis.Of(0, column.T) {
		term := Term{Op: TermWithin, Args: args, Area: &area{args[0].Type().OID, i}}
		out = append(out, AxisTerm{Column: column, Axis: axis, Term: term})
	}
	return out
}

// meeting are functions of two shapes that are true only where their bounding boxes meet, and measuring are those that
// give a distance.
var (
	meeting = map[string]bool{"st_contains": true, "st_within": true, "st_covers": true, "st_coveredby": true,
		"st_intersects": true, "geometry_overlaps": true, "on_pb": true, "box_contain_pt": true,
		"pt_contained_circle": true, "circle_contain_pt": true}
	measuring = map[string]bool{"st_distance": true, "geometry_distance_centroid": true, "point_distance": true}
)

func areaOf(cond expr.Expr) (column expr.Column, args []expr.Expr, ok bool) {
	switch e := cond.(type) {
	case expr.Call:
		switch {
		case meeting[e.Fn.Name] && len(e.Args) == 2:
			return around(e.Args[0], e.Args[1])
		case e.Fn.Name == "st_dwithin" && len(e.Args) == 3:
			return around(e.Args[0], e.Args[1], e.Args[2])
		}
	case expr.Compare:
		of, most, op := e.Left, e.Right, e.Op
		if expr.Fixed(of) {
			of, most, op = e.Right, e.Left, e.Op.Flip()
		}
		if call, ok := of.(expr.Call); ok && measuring[call.Fn.Name] && (op == expr.LT || op == expr.LE) {
			return around(call.Args[0], call.Args[1], most)
		}
	}
	return column, nil, false
}

// around reads a column of points and a fixed shape, in any order, and perhaps a distance.
func around(a, b expr.Expr, distance ...expr.Expr) (expr.Column, []expr.Expr, bool) {
	if expr.Fixed(a) {
		a, b = b, a
	}
	column, ok := pointColumn(a)
	args := append([]expr.Expr{b}, distance...)
	return column, args, ok && allFixed(args)
}

// pointColumn sees a column of points through the cast to geometry.
func pointColumn(e expr.Expr) (expr.Column, bool) {
	if cast, ok := e.(expr.Cast); ok && cast.To.OID == types.OIDGeometry && cast.To.Mod < 0 {
		e = cast.Arg
	}
	column, ok := e.(expr.Column)
	return column, ok && axis.Of(0, column.T) != nil
}

// set is what the box leaves of an axis: nothing where the shape or the distance is NULL, or the shape is empty.
func (a *area) set(args []types.Value) (span.Set, error) {
	for _, v := range args {
		if v.IsNull() {
			return span.Set{}, nil
		}
	}
	low, high, ok, err := extent(args[0], a.shape)
	if err != nil || !ok {
		return span.Set{}, err
	}
	from, to := low[a.axis], high[a.axis]
	if len(args) > 1 {
		if args[1].Float() < 0 { // which is an error of some conditions, for each row
			return span.Everything, nil
		}
		d := grown(args[1].Float(), low, high)
		from, to = from-d, to+d
	}
	return span.Of(span.Interval{Low: types.NewFloat(from), High: types.NewFloat(to)}), nil
}

// rounding is much more than the relative error of a distance that is computed.
const rounding = 1e-12

// grown is a distance with what rounding may take from one that is computed.
func grown(distance float64, low, high [2]float64) float64 {
	size := math.Abs(distance)
	for i := range low {
		size = max(size, math.Abs(low[i]), math.Abs(high[i]))
	}
	return distance + rounding*size
}

// extent is the bounding box of a shape. It says false of one that is empty.
func extent(v types.Value, of types.OID) (low, high [2]float64, ok bool, err error) {
	switch of {
	case types.OIDPoint:
		low[0], low[1] = v.Point()
		return low, low, true, nil
	case types.OIDBox:
		n := geo.Numbers(v.Bytes())
		return [2]float64{n[2], n[3]}, [2]float64{n[0], n[1]}, true, nil
	case types.OIDCircle:
		n := geo.Numbers(v.Bytes())
		center := [2]float64{n[0], n[1]}
		r := grown(n[2], center, center)
		return [2]float64{n[0] - r, n[1] - r}, [2]float64{n[0] + r, n[1] + r}, true, nil
	}
	return spatial.Extent(v.Bytes())
}
