package geo

import (
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/geo"
)

func swapped(holds expr.Function2) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) { return holds(c, b, a) }
}

// boxContains is exact, as in PostgreSQL. A point without a coordinate is in no box.
func boxContains(_ *expr.Context, box, p types.Value) (types.Value, error) {
	n, at := geo.Numbers(box.Bytes()), coordinates(p)
	return types.NewBool(n[2] <= at[0] && at[0] <= n[0] && n[3] <= at[1] && at[1] <= n[1]), nil
}

func circleContains(c *expr.Context, circle, p types.Value) (types.Value, error) {
	n := geo.Numbers(circle.Bytes())
	distance, err := pointDistance(c, types.NewPoint(n[0], n[1]), p)
	return types.NewBool(err == nil && distance.Float() <= n[2]), err
}
