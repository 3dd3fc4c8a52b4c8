package cost

import (
	"slices"

	"zproxy/catalog"
	"zproxy/planner/plan"
	"zproxy/store"
)

// Upkeep is what an index, or with the key of a table its rows, costs for each row that is written.
type Upkeep struct {
	Insert, Delete Writes
	Update         Writes  // of all columns of the key
	ItemBytes      float64 // of an entry of mean width
}

// Writes are the items that a statement writes for each row, at the most.
type Writes struct {
	Never bool // the table allows no such statement
	Items int
	Units float64 // of a store that is charged so
}

// UpkeepOf is what a readable index of a table costs, or for nil the rows themselves. A table may have
// other indexes by which entries are part of the commit of the rows.
func UpkeepOf(t *catalog.Table, x *catalog.Index, on store.Capabilities) Upkeep {
	name, layout := t.Name, &t.Primary
	if x != nil {
		name, layout = x.Name, &x.Layout
	}
	writes := func(n plan.Node, allowed bool) Writes {
		if !allowed {
			return Writes{Never: true}
		}
		return writesTo(t, name, WorkOf(n, false, on.Loose)[0])
	}
	key := keyAssignments(t, layout, x != nil)
	class := t.Mutability()
	updates := class.Updates() && len(key) > 0
	return Upkeep{
		Insert:    writes(plan.Insert{Table: t}, true),
		Update:    writes(plan.Update{Table: t, Set: key}, updates),
		Delete:    writes(plan.Delete{Table: t}, class.Deletes()),
		ItemBytes: t.EntryBytes(x),
	}
}

// keyAssignments set the columns of a key, or those of the key of an index by which rows keep their own keys.
func keyAssignments(t *catalog.Table, layout *catalog.Layout, index bool) []plan.Assignment {
	var out []plan.Assignment
	own := t.Primary.Sources()
	for _, id := range layout.Sources() {
		at := t.Ordinal(id)
		if !t.Columns[at].Hidden && !(index && slices.Contains(own, id)) {
			out = append(out, plan.Assignment{Column: at})
		}
	}
	return out
}

// writesTo are the writes of some work to a table or an index. What is part of a commit of several items costs
// more than what is written by itself.
func writesTo(t *catalog.Table, name string, w Work) (out Writes) {
	together := 0
	for _, s := range w.Steps {
		if s.Together() {
			together += s.Times
		}
	}
	for _, s := range w.Steps {
		if s.Of != name || !s.Writes() {
			continue
		}
		units := float64(s.Times) * store.WriteUnits(s.bytes(t))
		if !s.Separate && together > 1 {
			units *= store.AtomicWrites
		}
		out.Items, out.Units = out.Items+s.Times, out.Units+units
	}
	return out
}
