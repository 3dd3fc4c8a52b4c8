package system

import (
	"zproxy/expr"
	"zproxy/types"
)

// partitionRoot is the table above all that a relation is a partition of, or the relation itself.
func partitionRoot(c *expr.Context, a types.Value) (types.Value, error) {
	above := ancestors(c, a.Int())
	if len(above) == 0 {
		return types.Null, nil
	}
	return types.NewInt(int64(above[len(above)-1])), nil
}

// partitionAncestors delivers a relation and those that it is a partition of, the nearest first.
func partitionAncestors(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		if args[0].IsNull() {
			return
		}
		for _, id := range ancestors(c, args[0].Int()) {
			if !yield(types.Row{types.NewInt(int64(id))}, nil) {
				return
			}
		}
	}
}

// partitionTree delivers a relation and its partitions, level by level.
func partitionTree(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		if args[0].IsNull() {
			return
		}
		id := uint32(args[0].Int())
		above := ancestors(c, int64(id))
		if len(above) == 0 {
			return
		}
		parents := map[uint32]types.Value{id: types.Null}
		if len(above) > 1 {
			parents[id] = types.NewInt(int64(above[1]))
		}
		for level, list := 0, []uint32{id}; len(list) > 0; level++ {
			var next []uint32
			for _, id := range list {
				r := relationOf(c, int64(id))
				if r == nil {
					continue
				}
				row := types.Row{types.NewInt(int64(id)), parents[id], types.NewBool(!r.Divided),
					types.NewInt(int64(level))}
				if !yield(row, nil) {
					return
				}
				for _, below := range r.Partitions {
					parents[below], next = types.NewInt(int64(id)), append(next, below)
				}
			}
			list = next
		}
	}
}

// ancestors are a relation and those that it is a partition of; none if it has to do with partitions in no way.
func ancestors(c *expr.Context, id int64) (out []uint32) {
	for r := relationOf(c, id); r != nil && (r.Divided || r.PartitionOf != 0); r = relationOf(c, id) {
		out = append(out, uint32(id))
		if id = int64(r.PartitionOf); id == 0 {
			break
		}
	}
	return out
}
