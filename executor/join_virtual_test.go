package executor

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestJoinAsksForKeys wants a join with a relation of the system to make what it must, and
// to ask only for the objects that the other side names where no others come out.
func TestJoinAsksForKeys(t *testing.T) {
	named := [][]types.Value{{types.NewInt(3)}, {types.NewInt(7)}, {types.Null}, {types.NewInt(-1)}, {types.NewInt(3)}}
	var objects [][]types.Value
	for i := range 10 {
		objects = append(objects, []types.Value{types.NewInt(int64(i))})
	}
	relation := &catalog.Virtual{Columns: []catalog.VirtualColumn{{Name: "name", Type: types.Name},
		{Name: "oid", Type: types.Of(types.OIDOID)}}, Key: 1}
	virtual := plan.Virtual{Relation: relation, Reads: []int{1},
		Cols: []plan.Column{{Name: "oid", Type: types.Of(types.OIDOID)}}}
	column := expr.Column{T: types.Int8}
	for _, kind := range []plan.JoinKind{plan.InnerJoin, plan.LeftJoin, plan.RightJoin, plan.FullJoin, plan.SemiJoin,
		plan.AntiJoin} {
		for _, left := range []bool{false, true} {
			for _, right := range []plan.Node{virtual,
				plan.Filter{Input: virtual, Cond: expr.Const{Value: types.NewBool(true), T: types.Bool}}} {
				var asked []uint32
				env := newEnv()
				env.System = func(_ *catalog.Virtual, keys []uint32) iter.Seq2[types.Row, error] {
					asked = keys
					return func(yield func(types.Row, error) bool) {
						for i := range 10 {
							if (keys == nil || slices.Contains(keys, uint32(i))) &&
								!yield(types.Row{types.Null, types.NewInt(int64(i))}, nil) {
								return
							}
						}
					}
				}
				j := plan.Join{Kind: kind, Left: listOf(1, named...), Right: right, Method: &plan.JoinMethod{
					Strategy: plan.Hash, BuildLeft: left, Keys: []plan.JoinKey{{Left: column, Right: column}},
				}}
				got := texts(runAll(t, j, env))
				want := modelJoin(kind, named, objects,
					func(l, r types.Row) bool { return !l[0].IsNull() && l[0].Int() == r[0].Int() }, [2]int{1, 1})
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("kind %d, building left %v: %v, want %v", kind, left, got, want)
				}
				some := left && kind != plan.RightJoin && kind != plan.FullJoin
				if keys := fmt.Sprint(asked); some != (keys == "[3 7]") || !some && asked != nil {
					t.Errorf("kind %d, building left %v: asked for %v", kind, left, asked)
				}
			}
		}
	}
}
