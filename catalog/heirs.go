package catalog

import "slices"

// heirs are the tables that inherit from others, by the numbers of these.
type heirs map[uint32][]*Table

// heirsAmong are the heirs among tables, the oldest first.
func heirsAmong(tables []*Table) heirs {
	out := heirs{}
	for _, t := range tables {
		for _, parent := range t.Inherits.Of() {
			out[parent] = append(out[parent], t)
		}
	}
	for parent, list := range out {
		out[parent] = slices.Clip(list) // what many read at once and append to is copied
	}
	return out
}

// Heirs are the tables that inherit from a table directly.
func (h heirs) Heirs(table uint32) []*Table { return h[table] }

// Lineage is a table with all that inherit from it, each once, in PostgreSQL's order.
func (h heirs) Lineage(t *Table) []*Table {
	out := []*Table{t}
	for i := 0; i < len(out); i++ {
		for _, heir := range h[out[i].ID] {
			if !slices.ContainsFunc(out, func(o *Table) bool { return o.ID == heir.ID }) {
				out = append(out, heir)
			}
		}
	}
	return out
}
