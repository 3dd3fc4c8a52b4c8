package executor

import (
	"encoding/binary"

	"zproxy/expr"
	"zproxy/types"
)

// onceOfGroup finds the first row of each value in each group: those that count for an aggregate with DISTINCT whose
// result does not depend on the order of rows.
type onceOfGroup struct {
	values rowSet // of whole numbers, or of values with the group in front
	sel    []int32
	groups []int32
}

func newOnceOfGroup(held *hold, arg expr.Expr, grouped bool) *onceOfGroup {
	o := &onceOfGroup{values: newRowSet(held, arg.Type())}
	o.values.whole = o.values.whole && !grouped
	return o
}

// keep gives those of some rows, and their groups, that have the first of their values.
func (o *onceOfGroup) keep(v *types.Vector, sel, groups []int32) (kept, of []int32, err error) {
	o.sel, o.groups = o.sel[:0], o.groups[:0]
	for at, i := range sel {
		if o.has(v, int(i), groups[at]) {
			continue
		}
		if err := o.values.hold(); err != nil {
			return nil, nil, err
		}
		o.sel, o.groups = append(o.sel, i), append(o.groups, groups[at])
	}
	return o.sel, o.groups, nil
}

// has says whether a group has had the value of a row, and notes it.
func (o *onceOfGroup) has(v *types.Vector, i int, group int32) (there bool) {
	s := &o.values
	if s.whole {
		_, there = s.ofWhole(v, i, true)
		return there
	}
	s.key = binary.AppendUvarint(s.key[:0], uint64(group))
	s.key = v.AppendKey(s.key, i)
	_, there = s.table.ofBytes(s.key, true)
	return there
}
