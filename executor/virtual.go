package executor

import (
	"fmt"

	"zproxy/planner/plan"
	"zproxy/types"
)

// virtual delivers the rows of a relation of the system.
func virtual(f frame, n plan.Virtual) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		if f.env.System == nil {
			return fmt.Errorf("nobody computes the rows of %q here", n.Relation.Name)
		}
		keys, err := wantedKeys(f, n)
		if err != nil || n.Only != nil && len(keys) == 0 {
			return err
		}
		for in, err := range f.env.System(n.Relation, keys) {
			if err != nil {
				return err
			}
			row, err := out.add()
			if err != nil {
				return err
			}
			for i, place := range n.Reads {
				row[i] = in[place]
			}
		}
		return nil
	})
}

// wantedKeys are the keys that rows are wanted of; nil without n.Only.
func wantedKeys(f frame, n plan.Virtual) ([]uint32, error) {
	if n.Only == nil {
		return nil, nil
	}
	v, err := n.Only.Eval(f.env.Expr, nil)
	if err != nil || v.IsNull() {
		return nil, err
	}
	if _, isArray := types.ElementOf(n.Only.Type()); !isArray {
		return []uint32{uint32(v.Int())}, nil
	}
	var keys []uint32
	for _, item := range v.Array().Items {
		if !item.IsNull() {
			keys = append(keys, uint32(item.Int()))
		}
	}
	return keys, nil
}
