package access_test

import (
	"bytes"
	"slices"

	"zproxy/planner/plan"
)

// readKeys follows the keys of an access: the rows that they are of, in the order of the table's
// keys, and of them those that pass the conditions.
func (r *run) readKeys() []int {
	r.t.Helper()
	a := factsOf(r.scan.Access)
	of := r.rowsOf(*a.Keys)
	var out []int
	for row := range of {
		if r.passes(slices.Concat(a.Cond, a.RowFilter), r.rows[row], r.scan.Reads) {
			out = append(out, row)
		}
	}
	codec := r.codec
	slices.SortFunc(out, func(x, y int) int {
		k, l := codec.Key(r.rows[x]), codec.Key(r.rows[y])
		order := bytes.Compare(slices.Concat(k.Partition, k.Sort), slices.Concat(l.Partition, l.Sort))
		if a.Keys.Reverse {
			return -order
		}
		return order
	})
	return out
}

// rowsOf are the rows whose keys a node has. A scan must have each once, and in the order of the
// table's keys if it says so.
func (r *run) rowsOf(n plan.Node) map[int]bool {
	r.t.Helper()
	out := map[int]bool{}
	switch n := n.(type) {
	case plan.Scan:
		sets, err := setsOf(factsOf(n.Access).Bounds, r.ctx)
		if err != nil {
			r.fail(r.query, "%v", err)
		}
		leaf := r.world.run(r.query, n, r.ctx, sets)
		leaf.checkStored()
		if n.Access.Lookup != nil {
			r.fail(r.query, "rows are looked up for their keys")
		}
		if keys := n.Table.KeyOrdinals(); !slices.Equal(n.Reads[:len(keys)], keys) {
			r.fail(r.query, "a scan of keys reads %v first", n.Reads)
		}
		rows := leaf.read()
		for _, row := range rows {
			if out[row] {
				r.fail(r.query, "%s has row %s twice", n.Access.Name(), r.show(r.rows[row]))
			}
			out[row] = true
		}
		if n.Access.Ordered {
			for _, stream := range leaf.streams(rows) {
				leaf.checkOrder(stream)
			}
		}
	case plan.Keys:
		times := map[int]int{}
		for _, in := range n.Of {
			for row := range r.rowsOf(in) {
				times[row]++
			}
		}
		for row, have := range times {
			out[row] = n.Any || have == len(n.Of)
		}
		for row, in := range out {
			if !in {
				delete(out, row)
			}
		}
	}
	return out
}
