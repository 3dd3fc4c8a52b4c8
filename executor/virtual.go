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
			return fmt.Errorf("no source of the rows of %q", n.Relation.Name)
		}
		keys, err := wantedKeys(f, n)
		if err != nil || keys != nil && len(keys) == 0 {
			return err
		}
		own := types.NewInt(int64(n.Relation.ID))
		for in, err := range f.env.System(n.Relation, keys) {
			if err != nil {
				return err
			}
			row, err := out.add()
			if err != nil {
				return err
			}
			for i, ordinal := range n.Reads {
				if row[i] = own; ordinal != plan.TableOID {
					row[i] = in[ordinal]
				}
			}
		}
		return nil
	})
}

// wantedKeys are the keys that rows are wanted of; nil: of all.
func wantedKeys(f frame, n plan.Virtual) ([]uint32, error) {
	if n.Only == nil {
		return nil, nil
	}
	set, err := plan.Bound{Terms: n.Only}.Set(f.env.Expr)
	if err != nil {
		return nil, err
	}
	keys := []uint32{}
	for _, i := range set.Intervals {
		if !i.Point() {
			return nil, nil
		}
		keys = append(keys, uint32(i.Low.Int()))
	}
	return keys, nil
}
