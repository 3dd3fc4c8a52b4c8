package ddl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/family"
	"zproxy/catalog/lineage"
	"zproxy/catalog/reference"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Target is something that can be dropped: an object of the catalog, or a column of a
// table, or the default of a column, or the primary key, a unique index or a foreign key of a table, or
// the type of the arrays of a type.
type Target struct {
	Object     catalog.Object
	Column     uint32 // 0: the object itself
	IsDefault  bool
	IsPrimary  bool
	Index      uint32 // a unique index of the table
	ForeignKey uint32
	Trigger    uint32
	IsArray    bool
	Type       types.OID // of an extension, or of the rows of the table; 0: none
	Check      string    // the constraint of a table; empty: none
	Policy     uint32    // of a table; 0: none
	Only       bool      // of a column: those of tables that inherit it stay
	Published  uint32    // a table of a publication; 0: none
	Member     string    // of an extension, as messages name it; empty: none
}

// targetKey tells targets apart.
type targetKey struct {
	schema     string
	id, column uint32
	isDefault  bool
	isPrimary  bool
	check      string
	policy     uint32
	index, key uint32
	trigger    uint32
	isArray    bool
	typ        types.OID
	published  uint32
	member     string
}

func (t Target) key() targetKey {
	if schema, ok := t.Object.(*catalog.Schema); ok {
		return targetKey{schema: schema.Name}
	}
	return targetKey{id: t.Object.(catalog.Relation).Ref().ID, column: t.Column, isDefault: t.IsDefault,
		isPrimary: t.IsPrimary, index: t.Index, key: t.ForeignKey, check: t.Check,
		trigger: t.Trigger, policy: t.Policy, isArray: t.IsArray, typ: t.Type,
		published: t.Published, member: t.Member}
}

// dependent is a target that depends on another. An own one goes with it without a word.
type dependent struct {
	Target
	own bool
}

// drop collects what goes when some targets are dropped.
type drop struct {
	of    *Definer
	snap  *catalog.Snapshot
	named map[targetKey]bool
	seen  map[targetKey]int // places in gone
	gone  []removal         // each behind what depends on it
}

// removal is a Target that goes, and the one because of which it does.
type removal struct {
	dependent
	on Target
}

// newDrop finds all that depends on some targets, in PostgreSQL's order: see its
// findDependentObjects.
func (d *Definer) newDrop(snap *catalog.Snapshot, targets []Target) *drop {
	drops := &drop{of: d, snap: snap, named: map[targetKey]bool{}, seen: map[targetKey]int{}}
	for _, t := range targets {
		drops.named[t.key()] = true
	}
	for _, t := range targets {
		drops.visit(dependent{Target: t}, t)
	}
	slices.Reverse(drops.gone)
	return drops
}

func (d *drop) visit(t dependent, on Target) {
	if at, seen := d.seen[t.key()]; seen {
		if at >= 0 {
			d.gone[at].own = d.gone[at].own || t.own
		}
		return
	}
	d.seen[t.key()] = -1 // being visited
	for _, next := range d.dependents(t.Target) {
		d.visit(next, t.Target)
	}
	d.seen[t.key()] = len(d.gone)
	d.gone = append(d.gone, removal{dependent: t, on: on})
}

// dependents are what depends on a Target directly, the newest first.
func (d *drop) dependents(t Target) []dependent {
	var out []dependent
	switch o := t.Object.(type) {
	case *catalog.Schema:
		for _, r := range d.members(o.Name) {
			out = append(out, dependent{Target: Target{Object: r}})
		}
	case *catalog.Table:
		switch {
		case t.IsDefault || t.ForeignKey != 0 || t.Check != "" || t.Trigger != 0 || t.Policy != 0:
			return nil
		case t.Type != types.OIDInvalid:
			out = rowsOf(d, o, t.Type)
		case t.IsPrimary:
			without := *o
			without.PrimaryKey = ""
			out = append(d.viewsLost(o.ID, &without), d.referring(o, usesIndex(o.KeyID))...)
		case t.Index != 0:
			out = d.referring(o, usesIndex(t.Index))
		case t.Column != 0:
			out = append(d.ofColumn(o, t.Column), inheritedColumns(d, t, o)...)
		default:
			out = slices.Concat(d.views(o.ID), d.owned(o.ID, 0), d.partitions(o.ID, 0), d.children(o), heirsOf(d, o.ID),
				d.statistics(o.ID, 0), d.referring(o, nil), d.ownKeys(o, 0), d.ownTriggers(o),
				d.policiesLost(o.ID, nil), []dependent{rowType(o)})
		}
	case *catalog.Function:
		out = slices.Concat(d.callers(o), d.calling(o), d.running(o), d.policiesLost(o.ID, nil))
	case *catalog.Plain:
		if t.Published != 0 {
			return nil
		}
		out = slices.Concat(d.callersOf(o.ID), d.policiesLost(o.ID, nil), d.collating(o.ID))
	case *catalog.View:
		if t.Trigger != 0 {
			return nil
		}
		out = slices.Concat(d.views(o.ID), d.ownTriggers(o), d.policiesLost(o.ID, nil))
	case *catalog.Sequence:
		out = append(d.views(o.ID), d.defaults(o.ID)...)
	case *catalog.Extension:
		out = d.ofExtension(o, t)
	case *catalog.Type:
		if t.Column != 0 {
			out = d.naming(o, t.Column)
			break
		}
		one, array := o.OIDs()
		if t.IsArray {
			one = array
		}
		if out = d.users(one); !t.IsArray {
			out = append(d.lostParts(d.snap.Without(o)), out...)
			for _, of := range lineage.Typed(d.snap, o) {
				out = append(out, dependent{Target: Target{Object: of}})
			}
			out = slices.Concat(out, d.views(o.ID), d.defaults(o.ID), d.withRange(o))
			out = append(out, dependent{Target{Object: o, IsArray: true}, true})
		}
	}
	slices.SortStableFunc(out, func(a, b dependent) int { return cmp.Compare(b.number(), a.number()) })
	return out
}

// number is that of what is dropped: later ones have higher numbers.
func (t Target) number() uint32 {
	return cmp.Or(t.ForeignKey, t.Trigger, t.Policy, t.Index, t.key().id)
}

// users are the columns of tables that have a type, the views with such columns, the domains over it, the functions
// that take or return it, and the attributes of composite types.
func (d *drop) users(one types.OID) []dependent {
	var out []dependent
	for _, o := range d.snap.Types() {
		if o.Domain != nil && o.Domain.Base.Number() == one || overSubtype(o, one) {
			out = append(out, dependent{Target: Target{Object: o}})
		}
		for _, f := range o.Fields {
			if f.Type.Number() == one {
				out = append(out, dependent{Target: Target{Object: o, Column: f.ID}})
			}
		}
	}
	out = append(out, d.plainsOf(func(p *catalog.Plain) bool { return slices.Contains(p.Types(), one) })...)
	for _, f := range d.snap.Functions() {
		if uses := func(t types.T) bool { return t.Number() == one }; uses(f.Result) ||
			f.Aggregate != nil && uses(f.Aggregate.Type) ||
			slices.ContainsFunc(f.Params, func(p catalog.Param) bool { return uses(p.Type) }) {
			out = append(out, dependent{Target: Target{Object: f}})
		}
	}
	for r, columns := range d.snap.Users(one) {
		switch r := r.(type) {
		case *catalog.Table:
			for _, id := range columns {
				if r.Columns[r.Ordinal(id)].Expression() {
					continue // an index goes, by its expression
				}
				out = append(out, dependent{Target: Target{Object: r, Column: id}})
			}
		case *catalog.View:
			out = append(out, dependent{Target: Target{Object: r}})
		}
	}
	return out
}

// children are the tables whose rows lie behind those of a table.
func (d *drop) children(t *catalog.Table) []dependent {
	var out []dependent
	for _, c := range family.Children(d.snap, t) {
		out = append(out, dependent{Target: Target{Object: c}})
	}
	return out
}

// views are those whose query names a relation.
func (d *drop) views(id uint32) []dependent {
	var out []dependent
	relations, queries := catalog.Queries(d.snap)
	for i, v := range queries {
		if v.ID != id && slices.ContainsFunc(v.Uses, func(u catalog.Use) bool { return u.ID == id }) {
			out = append(out, dependent{Target: Target{Object: relations[i]}})
		}
	}
	return out
}

// ofColumn is what depends on a column: the views that would not be the same without it,
// and the sequence that it owns.
func (d *drop) ofColumn(t *catalog.Table, column uint32) []dependent {
	out := append(d.owned(t.ID, column), d.viewsLost(t.ID, t.WithoutColumn(column))...)
	refers := func(k *reference.Key) bool { return slices.Contains(k.Refers, column) }
	return slices.Concat(out, d.generated(t, column), d.partitions(t.ID, column), d.statistics(t.ID, column),
		d.referring(t, refers), d.ownKeys(t, column), d.triggersThat(t, false, func(x *catalog.Trigger) bool {
			return x.Uses(column) || x.When.Names(column)
		}), d.policiesLost(t.ID, t.WithoutColumn(column)), publishing(d, t, column))
}

// generated are the columns of a table that are generated from one of it, the last one first.
func (d *drop) generated(t *catalog.Table, column uint32) (out []dependent) {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if c := &t.Columns[i]; !c.Expression() && c.Generated.Names(column) {
			out = append(out, dependent{Target: Target{Object: t, Column: c.ID}})
		}
	}
	return out
}

// partitions are those of a table, or their columns of a number.
func (d *drop) partitions(table, column uint32) []dependent {
	var out []dependent
	for _, p := range d.snap.Partitions(table) {
		out = append(out, dependent{Target{Object: p, Column: column}, true})
	}
	return out
}

// viewsLost are the views of a table that would not be the same if it were another.
func (d *drop) viewsLost(table uint32, instead *catalog.Table) (out []dependent) {
	p := d.of.Planner(d.snap)
	for _, v := range d.views(table) {
		query, ok := v.Object.(*catalog.View)
		if !ok {
			query = catalog.QueryOf(v.Object.(*catalog.Table))
		}
		if !p.StillValid(query, instead) {
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
			out = append(out, dependent{Target{Object: q}, true})
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
				out = append(out, dependent{Target: Target{Object: t, Column: c.ID, IsDefault: true}})
			}
		}
	}
	return out
}

// others are the removals that the statement did not name, and that are no part of another one.
func (d *drop) others() []removal {
	goes := func(k targetKey) bool { _, ok := d.seen[k]; return ok }
	var out []removal
	for _, g := range d.gone {
		k := g.key()
		whole := targetKey{id: k.id}
		if g.own || d.named[k] || k.id != 0 && k != whole && goes(whole) ||
			k.isDefault && goes(targetKey{id: k.id, column: k.column}) {
			continue
		}
		out = append(out, g)
	}
	return out
}

// Dependents are what depends on a target, behind which it would be dropped.
func (d *Definer) Dependents(t Target) (out []Target) {
	for _, r := range d.newDrop(d.Txn.Changed().Snap, []Target{t}).others() {
		out = append(out, r.Target)
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
		lines[i] = d.of.Describe(d.snap, g.Target) + " depends on " + foreignKeys{d.of}.describeCause(d.snap, g)
	}
	what, them := "desired object(s)", "them"
	if len(d.named) == 1 {
		what, them = d.of.Describe(d.snap, d.gone[0].Target), "it"
	}
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because other objects depend on %s", what,
		them).
		WithDetail("%s", strings.Join(lines, "\n")).WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

// notice tells what goes besides, nil when nothing does.
func (d *drop) notice() *sqlerr.Error {
	others := d.others()
	lines := make([]string, len(others))
	for i, g := range others {
		lines[i] = "drop cascades to " + d.of.Describe(d.snap, g.Target)
	}
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", lines[0])
	}
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %d other objects", len(lines)).WithDetail("%s",
		strings.Join(lines, "\n"))
}

// describePart names what a table has with a number of its own; empty: the target is another one.
func describePart(d *Definer, snap *catalog.Snapshot, t *catalog.Table, of Target) string {
	on := func(kind, name string) string {
		return kind + " " + expr.QuoteIdent(name) + " on " + d.Describe(snap, Target{Object: t})
	}
	if k := t.ForeignKeys.Numbered(of.ForeignKey); k != nil {
		return on("constraint", k.Name)
	}
	if x := t.IndexByID(of.Index); x != nil {
		return describeIndex(d, snap, t, x)
	}
	if p := t.PolicyNumbered(of.Policy); p != nil {
		return on("policy", p.Name)
	}
	return ""
}

// Describe names a Target as PostgreSQL's messages do: with its schema where search_path
// does not lead to it.
func (d *Definer) Describe(snap *catalog.Snapshot, t Target) string {
	if t.Type != types.OIDInvalid {
		return "type " + typeName(d, snap, t)
	}
	if t.Member != "" {
		return t.Member
	}
	if text, ok := describeTrigger(d, snap, t); ok {
		return text
	}
	return described(d, snap, t)
}

func described(d *Definer, snap *catalog.Snapshot, t Target) string {
	switch o := t.Object.(type) {
	case *catalog.Schema:
		return "schema " + expr.QuoteIdent(o.Name)
	case *catalog.Database:
		return "database " + expr.QuoteIdent(d.DatabaseNames.Of(snap, o))
	case *catalog.Extension:
		return "extension " + expr.QuoteIdent(o.Name)
	case *catalog.Table:
		if text := describePart(d, snap, o, t); text != "" {
			return text
		}
	}
	if p, ok := t.Object.(*catalog.Plain); ok {
		if of, ok := snap.ByID(t.Published).(*catalog.Table); ok {
			return "publication of " + d.Describe(snap, Target{Object: of}) + " in " + plains{d}.describe(snap, p)
		}
		return plains{d}.describe(snap, p)
	}
	if f, ok := t.Object.(*catalog.Function); ok {
		return "function " + routines{d}.signature(snap, f)
	}
	text := namedFrom(d, snap, t.Object)
	if of, ok := t.Object.(*catalog.Type); ok && t.Column != 0 {
		for _, f := range of.Fields {
			if f.ID == t.Column {
				return "column " + expr.QuoteIdent(f.Name) + " of composite " + text
			}
		}
	}
	if t.IsArray {
		return text + "[]"
	}
	table, ok := t.Object.(*catalog.Table)
	if t.Check != "" {
		return fmt.Sprintf("constraint %s on %s", expr.QuoteIdent(t.Check), text)
	}
	if t.IsPrimary {
		return fmt.Sprintf("constraint %s on %s", expr.QuoteIdent(table.PrimaryKey), text)
	}
	if !ok || t.Column == 0 || table.Ordinal(t.Column) < 0 {
		return text
	}
	text = fmt.Sprintf("column %s of %s", expr.QuoteIdent(table.Columns[table.Ordinal(t.Column)].Name), text)
	if t.IsDefault {
		text = "default value for " + text
	}
	return text
}

// namedFrom is the kind and the name of an object, with its schema where the search path does not lead to it.
func namedFrom(d *Definer, snap *catalog.Snapshot, o catalog.Object) string {
	ref := o.(catalog.Relation).Ref()
	at := snap.Relation
	switch o.(type) {
	case *catalog.Type:
		at = func(schema, name string) catalog.Relation {
			if x := snap.TypeNamed(schema, name); x != nil {
				return x
			}
			return nil
		}
	case *catalog.Statistics:
		at = func(schema, name string) catalog.Relation {
			if x := snap.StatisticsNamed(schema, name); x != nil {
				return x
			}
			return nil
		}
	}
	return string(ref.Kind) + " " + fromPath(d, snap, ref, at)
}

// fromPath is a name with its schema, if search_path leads to another object of the name, or to none.
func fromPath(d *Definer, snap *catalog.Snapshot, of catalog.Ref, at func(_, _ string) catalog.Relation) string {
	for _, schema := range d.Path(snap) {
		if r := at(schema, of.Name); r != nil {
			if r.Ref().ID == of.ID {
				of.Schema = ""
			}
			break
		}
	}
	if of.Schema != "" {
		return expr.QuoteIdent(of.Schema) + "." + expr.QuoteIdent(of.Name)
	}
	return expr.QuoteIdent(of.Name)
}
