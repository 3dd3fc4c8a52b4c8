package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/sqlerr"
)

// thing is something that can be dropped: an object of the catalog, or a column of a
// table, or the default of a column, or the primary key of a table.
type thing struct {
	object    catalog.Object
	column    uint32 // 0: the object itself
	isDefault bool
	isPrimary bool
}

// thingKey tells things apart.
type thingKey struct {
	schema     string
	id, column uint32
	isDefault  bool
	isPrimary  bool
}

func (t thing) key() thingKey {
	if schema, ok := t.object.(*catalog.Schema); ok {
		return thingKey{schema: schema.Name}
	}
	return thingKey{id: t.object.(catalog.Relation).Ref().ID, column: t.column, isDefault: t.isDefault,
		isPrimary: t.isPrimary}
}

// dependent is a thing that depends on another. An own one goes with it without a word.
type dependent struct {
	thing
	own bool
}

// drop collects what goes when some things are dropped.
type drop struct {
	s     *Session
	snap  *catalog.Snapshot
	named map[thingKey]bool
	seen  map[thingKey]int // places in gone
	gone  []removal        // each behind what depends on it
}

// removal is a thing that goes, and the one because of which it does.
type removal struct {
	dependent
	on thing
}

// newDrop finds all that depends on some things, in PostgreSQL's order: see its
// findDependentObjects.
func (s *Session) newDrop(snap *catalog.Snapshot, things []thing) *drop {
	d := &drop{s: s, snap: snap, named: map[thingKey]bool{}, seen: map[thingKey]int{}}
	for _, t := range things {
		d.named[t.key()] = true
	}
	for _, t := range things {
		d.visit(dependent{thing: t}, t)
	}
	slices.Reverse(d.gone)
	return d
}

func (d *drop) visit(t dependent, on thing) {
	if at, seen := d.seen[t.key()]; seen {
		if at >= 0 {
			d.gone[at].own = d.gone[at].own || t.own
		}
		return
	}
	d.seen[t.key()] = -1 // being visited
	for _, next := range d.dependents(t.thing) {
		d.visit(next, t.thing)
	}
	d.seen[t.key()] = len(d.gone)
	d.gone = append(d.gone, removal{dependent: t, on: on})
}

// dependents are what depends on a thing directly, the newest first.
func (d *drop) dependents(t thing) []dependent {
	var out []dependent
	switch o := t.object.(type) {
	case *catalog.Schema:
		for _, r := range d.members(o.Name) {
			out = append(out, dependent{thing: thing{object: r}})
		}
	case *catalog.Table:
		switch {
		case t.isDefault:
			return nil
		case t.isPrimary:
			without := *o
			without.PrimaryKey = ""
			out = d.viewsLost(o.ID, &without)
		case t.column != 0:
			out = d.ofColumn(o, t.column)
		default:
			out = append(d.views(o.ID), d.owned(o.ID, 0)...)
		}
	case *catalog.View:
		out = d.views(o.ID)
	case *catalog.Sequence:
		out = append(d.views(o.ID), d.defaults(o.ID)...)
	}
	slices.SortStableFunc(out, func(a, b dependent) int { return cmp.Compare(b.key().id, a.key().id) })
	return out
}

// members are the tables, views and sequences of a schema.
func (d *drop) members(schema string) []catalog.Object {
	var out []catalog.Object
	for _, t := range d.snap.Tables() {
		if t.Schema == schema {
			out = append(out, t)
		}
	}
	for _, v := range d.snap.Views() {
		if v.Schema == schema {
			out = append(out, v)
		}
	}
	for _, q := range d.snap.Sequences() {
		if q.Schema == schema {
			out = append(out, q)
		}
	}
	return out
}

// views are those whose query names a relation.
func (d *drop) views(id uint32) []dependent {
	var out []dependent
	for _, v := range d.snap.Views() {
		if v.ID != id && slices.ContainsFunc(v.Uses, func(u catalog.Use) bool { return u.ID == id }) {
			out = append(out, dependent{thing: thing{object: v}})
		}
	}
	return out
}

// ofColumn is what depends on a column: the views that would not be the same without it,
// and the sequence that it owns.
func (d *drop) ofColumn(t *catalog.Table, column uint32) []dependent {
	return append(d.owned(t.ID, column), d.viewsLost(t.ID, t.WithoutColumn(column))...)
}

// viewsLost are the views of a table that would not be the same if it were another.
func (d *drop) viewsLost(table uint32, instead *catalog.Table) (out []dependent) {
	p := d.s.planner(d.snap)
	for _, v := range d.views(table) {
		if !p.StillValid(v.object.(*catalog.View), instead) {
			out = append(out, v)
		}
	}
	return out
}

// owned are the sequences of a table, or of one of its columns.
func (d *drop) owned(table, column uint32) []dependent {
	var out []dependent
	for _, q := range d.snap.Sequences() {
		if q.OwnerTable == table && (column == 0 || q.OwnerColumn == column) {
			out = append(out, dependent{thing{object: q}, true})
		}
	}
	return out
}

// defaults are those that take numbers from a sequence.
func (d *drop) defaults(sequence uint32) []dependent {
	var out []dependent
	for _, t := range d.snap.Tables() {
		for _, c := range t.Columns {
			if slices.ContainsFunc(c.DefaultUses, func(b catalog.Bound) bool { return b.ID == sequence }) {
				out = append(out, dependent{thing: thing{object: t, column: c.ID, isDefault: true}})
			}
		}
	}
	return out
}

// others are the removals that the statement did not name.
func (d *drop) others() []removal {
	goes := func(k thingKey) bool { _, ok := d.seen[k]; return ok }
	var out []removal
	for _, g := range d.gone {
		k := g.key()
		if g.own || d.named[k] || k.column != 0 && (goes(thingKey{id: k.id}) || goes(thingKey{id: k.id, column: k.column})) {
			continue
		}
		out = append(out, g)
	}
	return out
}

// refuse is the error when something else depends on what is to be dropped, nil when
// nothing does.
func (d *drop) refuse() error {
	others := d.others()
	if len(others) == 0 {
		return nil
	}
	lines := make([]string, len(others))
	for i, g := range others {
		lines[i] = d.s.describe(d.snap, g.thing) + " depends on " + d.s.describe(d.snap, g.on)
	}
	what, them := "desired object(s)", "them"
	if len(d.named) == 1 {
		what, them = d.s.describe(d.snap, d.gone[0].thing), "it"
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because other objects depend on %s", what, them).
		WithDetail("%s", strings.Join(lines, "\n")).WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

// notice tells what goes besides, nil when nothing does.
func (d *drop) notice() *sqlerr.Error {
	others := d.others()
	lines := make([]string, len(others))
	for i, g := range others {
		lines[i] = "drop cascades to " + d.s.describe(d.snap, g.thing)
	}
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", lines[0])
	}
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %d other objects", len(lines)).WithDetail("%s", strings.Join(lines, "\n"))
}

// describe names a thing as PostgreSQL's messages do: with its schema where search_path
// does not lead to it.
func (s *Session) describe(snap *catalog.Snapshot, t thing) string {
	switch o := t.object.(type) {
	case *catalog.Schema:
		return "schema " + expr.QuoteIdent(o.Name)
	case *catalog.Database:
		return "database " + expr.QuoteIdent(s.database)
	}
	ref := t.object.(catalog.Relation).Ref()
	name := expr.QuoteIdent(ref.Name)
	for _, schema := range s.path(snap) {
		if r := snap.Relation(schema, ref.Name); r != nil {
			if r.Ref().ID == ref.ID {
				ref.Schema = ""
			}
			break
		}
	}
	if ref.Schema != "" {
		name = expr.QuoteIdent(ref.Schema) + "." + name
	}
	text := string(ref.Kind) + " " + name
	table, ok := t.object.(*catalog.Table)
	if t.isPrimary {
		return fmt.Sprintf("constraint %s on %s", expr.QuoteIdent(table.PrimaryKey), text)
	}
	if !ok || t.column == 0 || table.Ordinal(t.column) < 0 {
		return text
	}
	text = fmt.Sprintf("column %s of %s", expr.QuoteIdent(table.Columns[table.Ordinal(t.column)].Name), text)
	if t.isDefault {
		text = "default value for " + text
	}
	return text
}
