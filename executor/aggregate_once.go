package executor

import (
	"encoding/binary"

	"zproxy/types"
)

// onceOfGroup finds the first row of each value in each group: those that count for an aggregate with DISTINCT whose
// result does not depend on the order of rows.
type onceOfGroup struct {
	values rowSet // of the values, with the group in front of each unless there is only one
	sel    []int32
	groups []int32
}

// keep gives those of some rows, and their groups, that have the first of their values. There is either one group in
// all calls or several in all.
func (o *onceOfGroup) keep(v *types.Vector, sel, groups []int32, single bool) (kept, of []int32, err error) {
	o.sel, o.groups = o.sel[:0], o.groups[:0]
	for at, i := range sel {
		if !o.isNew(v, int(i), groups[at], single) {
			continue
		}
		if err := o.values.hold(); err != nil {
			return nil, nil, err
		}
		o.sel, o.groups = append(o.sel, i), append(o.groups, groups[at])
	}
	return o.sel, o.groups, nil
}

func (o *onceOfGroup) isNew(v *types.Vector, i int, group int32, single bool) bool {
	s := &o.values
	var there bool
	switch {
	case !single || !s.whole:
		s.key = binary.AppendUvarint(s.key[:0], uint64(group))
		s.key = v.AppendKey(s.key, i)
		_, there = s.table.ofBytes(s.key, true)
	case v.IsNull(i):
		_, there = s.ofNull(true)
	default:
		_, there = s.table.ofInt(v.Int(i), true)
	}
	return !there
}
