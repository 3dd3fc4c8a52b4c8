package access

import (
	"slices"

	"zproxy/catalog/axis"
	"zproxy/planner/plan"
)

// Searchable are the columns of a scan's table, by ID, that its conditions bound: to points,
// and to intervals. An index over the points and one interval behind them finds the rows.
func Searchable(s plan.Scan) (points, intervals []uint32) {
	c := conditionsOf(s)
	for _, k := range c.constraints {
		id := k.id
		if axis.Is(id) || slices.Contains(points, id) || slices.Contains(intervals, id) {
			continue
		}
		switch shape := c.shapeOf(id); {
		case shape.points > 0:
			points = append(points, id)
		case shape.interval:
			intervals = append(intervals, id)
		}
	}
	return points, intervals
}
