package spatial_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin/spatial"
	"zproxy/internal/testseed"
	"zproxy/types"
	held "zproxy/types/spatial"
)

// xy is a point on a small grid: many of them are on boundaries, and all products are exact.
type xy struct{ x, y float64 }

func randomXY(r *rand.Rand) xy { return xy{float64(r.IntN(9)), float64(r.IntN(9))} }

// cross is twice the area of a triangle, positive where it turns left.
func cross(a, b, c xy) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// hull is the convex polygon around points, from left to right below and back above.
func hull(points []xy) []xy {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b xy) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	var out []xy
	for range 2 {
		start := len(out)
		for _, p := range points {
			for len(out) >= start+2 && cross(out[len(out)-2], out[len(out)-1], p) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, p)
		}
		out = out[:len(out)-1]
		slices.Reverse(points)
	}
	return out
}

// randomArea is a convex polygon that is no line.
func randomArea(r *rand.Rand) []xy {
	for {
		points := make([]xy, 3+r.IntN(6))
		for i := range points {
			points[i] = randomXY(r)
		}
		if area := hull(points); len(area) >= 3 {
			return area
		}
	}
}

func randomSegment(r *rand.Rand) []xy {
	for {
		if a, b := randomXY(r), randomXY(r); a != b {
			return []xy{a, b}
		}
	}
}

func coordinates(points []xy) string {
	var out []string
	for _, p := range points {
		out = append(out, fmt.Sprintf("%g %g", p.x, p.y))
	}
	return strings.Join(out, ", ")
}

func pointText(p xy) string     { return "POINT(" + coordinates([]xy{p}) + ")" }
func lineText(line []xy) string { return "LINESTRING(" + coordinates(line) + ")" }
func areaText(area []xy) string {
	return "POLYGON((" + coordinates(append(slices.Clip(area), area[0])) + "))"
}

// side is where a point is to a convex polygon: 1 inside, 0 on its boundary, -1 outside.
func side(area []xy, p xy) int {
	out := 1
	for i, a := range area {
		out = min(out, cmp.Compare(cross(a, area[(i+1)%len(area)], p), 0))
	}
	return out
}

// pointToSegment is the distance by the foot of the perpendicular, or the nearer end.
func pointToSegment(p, a, b xy) float64 {
	t := ((p.x-a.x)*(b.x-a.x) + (p.y-a.y)*(b.y-a.y)) / ((b.x-a.x)*(b.x-a.x) + (b.y-a.y)*(b.y-a.y))
	t = min(max(t, 0), 1)
	return math.Hypot(a.x+t*(b.x-a.x)-p.x, a.y+t*(b.y-a.y)-p.y)
}

func pointToArea(p xy, area []xy) float64 {
	if side(area, p) >= 0 {
		return 0
	}
	out := math.Inf(1)
	for i, a := range area {
		out = min(out, pointToSegment(p, a, area[(i+1)%len(area)]))
	}
	return out
}

// disjoint says whether a line through a side of one of two convex shapes has them on different sides. Such a line is
// there whenever they do not meet.
func disjoint(a, b []xy) bool {
	for range 2 {
		for i, p := range a {
			if q := a[(i+1)%len(a)]; outside(p, q, b) && within(q, p, a) || outside(q, p, b) && within(p, q, a) {
				return true
			}
		}
		a, b = b, a
	}
	return false
}

// outside says whether all points are to the right of a line, and within whether none is to its right.
func outside(p, q xy, points []xy) bool {
	return !slices.ContainsFunc(points, func(o xy) bool { return cross(p, q, o) >= 0 })
}

func within(p, q xy, points []xy) bool {
	return !slices.ContainsFunc(points, func(o xy) bool { return cross(q, p, o) < 0 })
}

func call(t *testing.T, name string, args ...types.Value) types.Value {
	t.Helper()
	for _, f := range spatial.Functions {
		if f.Name != name || len(f.Args) != len(args) {
			continue
		}
		var v types.Value
		var err error
		if c := (&expr.Context{Env: &types.Env{}}); f.Fn2 != nil {
			v, err = f.Fn2(c, args[0], args[1])
		} else {
			v, err = f.FnN(c, args)
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return v
	}
	t.Fatalf("no function %s", name)
	return types.Null
}

func parsed(t *testing.T, text string) types.Value {
	t.Helper()
	p, err := held.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return types.NewBytes(p)
}

// converses are the predicates that say the same of the two geometries in the other order.
var converses = map[string]string{"st_contains": "st_within", "st_covers": "st_coveredby",
	"st_intersects": "st_intersects", "st_disjoint": "st_disjoint"}

// holds compares a predicate, and its converse, with what an oracle says.
func holds(t *testing.T, name, a, b string, want bool) {
	t.Helper()
	g, h := parsed(t, a), parsed(t, b)
	if got := call(t, name, g, h).Bool(); got != want {
		t.Errorf("%s('%s', '%s') is %v", name, a, b, got)
	}
	if got := call(t, converses[name], h, g).Bool(); got != want {
		t.Errorf("%s('%s', '%s') is %v", converses[name], b, a, got)
	}
}

func distant(t *testing.T, a, b string, want float64) {
	t.Helper()
	g, h := parsed(t, a), parsed(t, b)
	for range 2 {
		if got := call(t, "st_distance", g, h).Float(); math.Abs(got-want) > 1e-9 {
			t.Errorf("the distance of '%s' and '%s' is %v, want %v", a, b, got, want)
		}
		for _, most := range []float64{want - 1e-6, want + 1e-6} {
			if got := call(t, "st_dwithin", g, h, types.NewFloat(max(most, 0))).Bool(); got != (want <= max(most, 0)) {
				t.Errorf("'%s' and '%s' are within %v: %v", a, b, most, got)
			}
		}
		g, h = h, g
	}
}

// TestPointsAndAreas compares with the sides of a convex polygon, of which a point is on the inner one of each.
func TestPointsAndAreas(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	for range 3000 {
		area, p := randomArea(r), randomXY(r)
		a, b, at := areaText(area), pointText(p), side(area, p)
		holds(t, "st_contains", a, b, at > 0)
		holds(t, "st_covers", a, b, at >= 0)
		holds(t, "st_intersects", a, b, at >= 0)
		holds(t, "st_disjoint", a, b, at < 0)
		distant(t, a, b, pointToArea(p, area))
	}
}

// TestPointsInHoles takes a convex polygon out of a larger square.
func TestPointsInHoles(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range 1000 {
		hole, p := randomArea(r), randomXY(r)
		text := strings.Replace(areaText(hole), "POLYGON(", "POLYGON((-1 -1, 9 -1, 9 9, -1 9, -1 -1), ", 1)
		holds(t, "st_contains", text, pointText(p), side(hole, p) < 0)
		holds(t, "st_covers", text, pointText(p), side(hole, p) <= 0)
		several := strings.Replace(text, "POLYGON(", "MULTIPOLYGON(((20 20, 21 20, 21 21, 20 20)), (", 1) + ")"
		holds(t, "st_contains", several, pointText(p), side(hole, p) < 0)
	}
}

// TestConvexShapes compares with lines that separate two convex shapes, and with the corners of one in the other.
func TestConvexShapes(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	for range 1000 {
		one, other, line := randomArea(r), randomArea(r), randomSegment(r)
		meet := !disjoint(one, other)
		holds(t, "st_intersects", areaText(one), areaText(other), meet)
		inside := !slices.ContainsFunc(other, func(p xy) bool { return side(one, p) < 0 })
		holds(t, "st_covers", areaText(one), areaText(other), inside)
		holds(t, "st_contains", areaText(one), areaText(other), inside)
		if !meet {
			distant(t, areaText(one), areaText(other), cornersToArea(one, other))
		}
		holds(t, "st_intersects", areaText(one), lineText(line), !disjoint(one, line))
		inside = side(one, line[0]) >= 0 && side(one, line[1]) >= 0
		holds(t, "st_covers", areaText(one), lineText(line), inside)
	}
}

// cornersToArea is the distance of convex polygons that do not meet: that of a corner of one of them.
func cornersToArea(a, b []xy) float64 {
	out := math.Inf(1)
	for range 2 {
		for _, p := range a {
			out = min(out, pointToArea(p, b))
		}
		a, b = b, a
	}
	return out
}

// TestPointsAndLines compares with the distance to the nearest segment of a line.
func TestPointsAndLines(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 4))
	for range 2000 {
		line := randomSegment(r)
		for range r.IntN(4) {
			line = append(line, randomXY(r))
		}
		p, want := randomXY(r), math.Inf(1)
		for i := 1; i < len(line); i++ {
			if line[i-1] == line[i] {
				continue
			}
			want = min(want, pointToSegment(p, line[i-1], line[i]))
		}
		distant(t, lineText(line), pointText(p), want)
		collection := "GEOMETRYCOLLECTION(POINT(30 30), " + lineText(line) + ")"
		distant(t, collection, pointText(p), want)
	}
}
