package executor

import (
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/ordered"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/store"
	"zproxy/types"
)

// family is how the rows of a table are written that lie with those of a parent or of children.
type family struct {
	parent   *table
	lineage  // of the table in the parent
	children []*child
}

// lineage is which columns of a table are the key of its parent.
type lineage struct{ parent, own []int }

// child is a table whose rows lie behind those of the table that is written.
type child struct {
	writer
	lineage
	marker  []byte // behind the key of the parent
	cascade bool
}

// newFamily prepares the writing of a table that lies with others; nil: it lies alone.
func newFamily(f frame, of *table, n plan.Indexed) (*family, error) {
	if n.Parent == nil && n.Children == nil {
		return nil, nil
	}
	out := &family{}
	if n.Parent != nil {
		var err error
		if out.parent, err = f.env.Tables.of(n.Parent); err != nil {
			return nil, err
		}
		out.lineage = lineageOf(out.parent, of)
	}
	for _, c := range n.Children {
		w, err := newWriter(f, c)
		if err != nil {
			return nil, err
		}
		out.children = append(out.children, &child{writer: *w, lineage: lineageOf(of, w.table),
			marker:  w.table.Primary.Sort[len(of.Primary.Sort)].Marker(),
			cascade: w.table.Space.In.Cascade})
	}
	return out, nil
}

// lineageOf are the columns of the key of a parent, and those of a child in their stead.
func lineageOf(parent, of *table) lineage {
	key := of.Primary.Columns()
	l := lineage{parent: parent.rows.key}
	for i := range l.parent {
		l.own = append(l.own, of.Ordinal(key[i]))
	}
	return l
}

// kin is a writer of rows that lie with others.
type kin struct{ *writer }

// checkParents wants the parents of rows that get a key to be there, and to stay until the commit.
func (w kin) checkParents(changes []change, placements []placement) error {
	if w.family == nil || w.family.parent == nil {
		return nil
	}
	parent, l := w.family.parent, w.family.lineage
	get := store.Get{Remember: true, Hold: true, Stats: &w.profile.Stats}
	asked := map[string]bool{}
	var rows []types.Row
	above := make(types.Row, len(parent.Columns))
	for i, c := range changes {
		if p := &placements[i*len(w.layouts)]; !p.held || p.stays {
			continue
		}
		for j, ordinal := range l.parent {
			above[ordinal] = c.new[l.own[j]]
		}
		key := parent.rows.codec.Key(above)
		if id := claimKey(0, key); !asked[id] {
			asked[id] = true
			get.Keys, rows = append(get.Keys, key), append(rows, c.new)
		}
	}
	if len(get.Keys) == 0 {
		return nil
	}
	found, err := w.env.Txn.Get(w.ctx, parent.rows.space, &get, types.NewBatch(0))
	if err != nil {
		return w.storeError(err, "get from", parent.rows.space.Name)
	}
	for i, there := range found {
		if !there {
			return w.noParent(rows[i])
		}
		if err := w.spend(parent.rows, get.Keys[i], change{}, store.Unchanged); err != nil {
			return err
		}
	}
	return nil
}

// leaveChildren sees to the children of rows that leave their keys: they are deleted with a row that is deleted, where
// they are to be, and otherwise there must be none.
func (w kin) leaveChildren(changes []change, placements []placement) error {
	if w.family == nil || len(w.family.children) == 0 {
		return nil
	}
	taken := map[string]bool{}
	for i := range changes {
		if p := &placements[i*len(w.layouts)]; p.held {
			taken[claimKey(0, p.key)] = true
		}
	}
	for i, c := range changes {
		if c.old == nil || placements[i*len(w.layouts)].stays {
			continue
		}
		key := w.table.rows.codec.Key(c.old)
		if taken[claimKey(0, key)] {
			continue
		}
		for _, child := range w.family.children {
			if err := child.leave(w.writer, key, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// leave sees to the rows behind one of the parent's, whose key it leaves.
func (c *child) leave(parent *writer, key store.Key, left change) error {
	from := append(append([]byte{}, key.Sort...), c.marker...)
	rows := c.table.rows
	scan := &store.Scan{Range: store.Range{Partition: key.Partition, From: from, To: ordered.Successor(from)},
		Remember: true, Stats: &c.profile.Stats}
	deletes := c.cascade && left.new == nil
	if scan.Enough = 1; deletes {
		scan.Enough, scan.Columns = 0, rows.stored
	}
	for batch, err := range c.env.Txn.Scan(c.ctx, rows.space, scan) {
		if err != nil {
			return c.storeError(err, "scan", rows.space.Name)
		}
		if batch.Len() == 0 {
			continue
		}
		if !deletes {
			return c.hasChildren(kin{parent}, left.old)
		}
		changes := make([]change, batch.Len())
		for i := range changes {
			changes[i].old = batch.Row(i)
		}
		if _, err := c.apply(changes); err != nil {
			return err
		}
	}
	return nil
}

// constraint is the name of what keeps the rows of a child with their parents, as PostgreSQL names a foreign key.
func (w kin) constraint(l lineage) string {
	return w.table.Name + "_" + strings.Join(w.namesOf(l.own), "_") + "_fkey"
}

func (w kin) namesOf(ordinals []int) []string {
	var names []string
	for _, i := range ordinals {
		names = append(names, w.table.Columns[i].Name)
	}
	return names
}

// keyOf shows the values of some columns of a row.
func (w kin) keyOf(ordinals []int, row types.Row) string {
	var values []string
	for _, i := range ordinals {
		values = append(values, w.valueText(row[i], w.table.Columns[i].Type))
	}
	return fmt.Sprintf("(%s)=(%s)", strings.Join(w.namesOf(ordinals), ", "), strings.Join(values, ", "))
}

// noParent says that a row has no parent.
func (w kin) noParent(row types.Row) error {
	l := w.family.lineage
	return w.notPresent(w.constraint(l), w.family.parent.Name, l.own, row)
}

// hasChildren says that rows of a child lie behind a row.
func (c *child) hasChildren(parent kin, row types.Row) error {
	return parent.stillReferred(c.table.Table, kin{&c.writer}.constraint(c.lineage), c.lineage.parent, row)
}

// notPresent says that a parent has no row with the key that a row has in some columns.
func (w kin) notPresent(constraint, parent string, own []int, row types.Row) error {
	return referential.Unmet(w.table.Table, constraint).WithDetail("%s", w.detail("Key %s.",
		func() string { return w.keyOf(own, row) + " is not present in table \"" + parent + "\"" }))
}

// stillReferred says that rows of a child refer to the key that a row has in some columns.
func (w kin) stillReferred(child *catalog.Table, constraint string, key []int, row types.Row) error {
	return referential.StillReferred(w.table.Table, child, constraint).WithDetail("%s", w.detail("Key %s.",
		func() string { return w.keyOf(key, row) + " is still referenced from table \"" + child.Name + "\"" }))
}
