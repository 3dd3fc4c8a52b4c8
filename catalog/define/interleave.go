package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/family"
	"zproxy/catalog/interleave"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// onDeleteOption says what a delete of a parent's row does to the rows behind it.
const onDeleteOption = "interleave_on_delete"

// interleaving is what the options say of the parent of a table or an index.
type interleaving struct {
	parent  string // "" : there is none
	pos     ast.Pos
	cascade bool
	action  bool // what a delete of a parent's row does is said
}

// read takes an option. It says false of one that is not about a parent.
func (in *interleaving) read(o ast.Option) (bool, error) {
	switch o.Name {
	case interleave.Option:
		if in.parent != "" {
			return true, sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q specified more than once", o.Name).
				At(int(o.Pos))
		}
		if in.parent, in.pos = o.Value, o.Pos; o.Value == "" {
			return true, sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", o.Name,
				o.Value).
				At(int(o.Pos))
		}
		return true, nil
	case onDeleteOption:
		in.action = true
		switch strings.ToLower(o.Value) {
		case "cascade":
			in.cascade = true
		case "no action":
		default:
			return true, sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for enum option %q: %s", o.Name,
				o.Value).At(int(o.Pos)).WithDetail("Valid values are \"cascade\" and \"no action\".")
		}
		return true, nil
	}
	return false, nil
}

// check wants the options to go together.
func (in *interleaving) check() error {
	if in.action && in.parent == "" {
		return sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q needs parameter %q", onDeleteOption,
			interleave.Option)
	}
	return nil
}

// find is the table that is to be the parent.
func (in *interleaving) find(b Builder) (*catalog.Table, error) {
	p, err := in.named(b)
	if err != nil {
		return nil, err
	}
	return p, in.mayHost(p)
}

// named is the table that has the name of the parent.
func (in *interleaving) named(b Builder) (*catalog.Table, error) {
	name := ast.Name{Name: in.parent, Pos: in.pos}
	if schema, table, qualified := strings.Cut(in.parent, "."); qualified {
		name.Schema, name.Name = schema, table
	}
	return b.Table(name)
}

// mayHost says why a table cannot be the parent of others.
func (in *interleaving) mayHost(p *catalog.Table) error {
	what := ""
	switch {
	case p.Foreign != nil:
		what = "a foreign table"
	case p.Partitioning != nil, p.PartitionOf != nil:
		what = "a partitioned table or a partition"
	case p.PrimaryKey == "":
		what = "a table without a primary key"
	case p.TTL != nil:
		what = "a table with a ttl"
	case follows(p):
		what = "a table with an index that the store keeps"
	case p.Primary.Typed:
		what = "a table with " + itemKeysOption
	case celltime.Has(p):
		what = "a table whose cells have timestamps"
	case strings.HasPrefix(p.Schema, catalog.TemporaryPrefix):
		what = "a temporary table"
	case slices.ContainsFunc(p.Primary.Parts(), func(q catalog.Part) bool {
		return !q.Plain() && q.Kind != part.Shard && q.Marker() == nil
	}):
		what = "a table whose key has computed parts other than shards"
	default:
		return nil
	}
	return sqlerr.Unsupported("INTERLEAVE IN PARENT of %s", what).At(int(in.pos))
}

// interleave lays out a table behind the rows of its parent.
func (t *NewTable) interleave(declared []catalog.Part, by []ast.KeyPart) error {
	in := &t.parent
	p, err := in.find(t.by)
	if err != nil {
		return err
	}
	if len(by) > 0 || len(t.keys.pos) > 0 {
		return sqlerr.New(sqlerr.InvalidTableDefinition,
			"a table that is interleaved has the partitions of its parent").At(int(in.pos)).
			WithHint("Leave PARTITION BY and the parameters of its key out.")
	}
	key := p.Primary.Declared()
	if err := t.beginsWith(declared, p, key); err != nil {
		return err
	}
	of := func(parent uint32) uint32 {
		return declared[slices.IndexFunc(key, func(k catalog.KeyColumn) bool { return k.ID == parent })].Column
	}
	t.Primary = p.Primary.Behind(of, declared[len(key):], t.Space)
	declare(&t.Primary, declared)
	host := t.by.Host(p)
	t.Space.In = &interleave.In{Parent: p.ID, HostID: host.Space.ID, HostName: host.Space.Name, Number: host.Hosted,
		Prefix: t.Name + ".", Cascade: in.cascade}
	t.Hosts = host
	return t.by.fitsBy(&t.keys, t.Table, &t.Primary)
}

// Waits says whether a table is to lie behind the rows of another one, but does not yet: one of the two had no primary
// key. So it is with what a dump makes, which gives tables their keys when they have their rows.
func Waits(t *catalog.Table) bool { return t.Space.In == nil && t.Options[interleave.Option] != "" }

// Waiting are the tables that wait for a primary key of a table.
func (b Builder) Waiting(on *catalog.Table) (out []*catalog.Table) {
	for _, t := range b.Catalog.Tables() {
		if t.ID == on.ID || !Waits(t) {
			continue
		}
		if p, err := parentOf(t).named(b); err == nil && p.ID == on.ID {
			out = append(out, t)
		}
	}
	return out
}

// parentOf is what the options of a table say of its parent.
func parentOf(t *catalog.Table) *interleaving {
	return &interleaving{parent: t.Options[interleave.Option], pos: -1,
		cascade: strings.EqualFold(t.Options[onDeleteOption], "cascade")}
}

// Interleave is a table that waited, laid out behind the rows of its parent; nil: it waits for more.
func (a *Alter) Interleave() (*NewTable, error) {
	if a.Table.PrimaryKey == "" || !Waits(a.Table) {
		return nil, nil
	}
	in := parentOf(a.Table)
	p, err := in.named(a.Builder)
	switch {
	case sqlerr.Has(err, sqlerr.UndefinedTable), err == nil && (p.PrimaryKey == "" || Waits(p)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	moved, err := a.moved()
	if err != nil {
		return nil, err
	}
	t, err := a.unkeyed(moved)
	if err != nil {
		return nil, err
	}
	t.parent = *in
	if err := t.interleave(declaredParts(&a.Table.Primary), nil); err != nil {
		return nil, err
	}
	if err := staysInterleaved(moved); err != nil {
		return nil, err
	}
	return t, a.retie(moved)
}

// beginsWith wants a key to begin with the key of the parent.
func (t *NewTable) beginsWith(declared []catalog.Part, p *catalog.Table, key []catalog.KeyColumn) error {
	same := len(declared) >= len(key)
	for i := 0; same && i < len(key); i++ {
		a, b := t.Columns[t.Ordinal(declared[i].Column)], p.Columns[p.Ordinal(key[i].ID)]
		same = a.Name == b.Name && a.Type.Same(b.Type) && declared[i].Desc == key[i].Desc
	}
	if same {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidTableDefinition,
		"the primary key of table %q does not begin with the primary key of its parent %q", t.Name, p.Name).
		At(int(t.parent.pos)).
		WithDetail("The key of table %q is (%s).", p.Name, keyList(p, key))
}

// keyList shows the columns of a key with their types.
func keyList(t *catalog.Table, key []catalog.KeyColumn) string {
	var columns []string
	for _, k := range key {
		c := t.Columns[t.Ordinal(k.ID)]
		columns = append(columns, c.Name+" "+c.Type.String()+map[bool]string{true: " DESC"}[k.Desc])
	}
	return strings.Join(columns, ", ")
}

// Host is the table whose space rows behind those of a table lie in, with one more number given.
func (b Builder) Host(p *catalog.Table) *catalog.Table {
	for up := p; up != nil; up = family.Parent(b.Catalog, p) {
		p = up
	}
	host := *p
	host.Version++
	host.Hosted++
	return &host
}

// interleaveIndex lays out the entries of an index behind the rows of its table, or of one that those lie behind.
func (b Builder) interleaveIndex(x *catalog.Index, t *catalog.Table, in *interleaving, o *keyOptions) error {
	p, err := in.find(b)
	if err != nil {
		return err
	}
	up := t
	for up != nil && up.ID != p.ID {
		up = family.Parent(b.Catalog, up)
	}
	if up == nil {
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "table %q is neither the table of the index nor above it",
			p.Name).At(int(in.pos))
	}
	declared, above := x.Layout.Declared(), p.Primary.Declared()
	key := t.Primary.Declared()[:len(above)]
	switch {
	case x.Method != catalog.BTree:
		return sqlerr.Unsupported("INTERLEAVE IN of an index of method %s", x.Method).At(int(in.pos))
	case len(o.pos) > 0:
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "an index that is interleaved has the partitions of its parent").
			At(int(in.pos)).
			WithHint("Leave the parameters of its key out.")
	case len(declared) <= len(key) || !slices.Equal(declared[:len(key)], key):
		return sqlerr.New(sqlerr.InvalidObjectDefinition,
			"the key of index %q does not begin with the primary key of table %q", x.Name, p.Name).
			At(int(in.pos)).
			WithDetail("It must begin with (%s), and have another column behind it.", keyList(p, above))
	}
	own := x.Layout.Parts()[len(key):]
	of := func(parent uint32) uint32 {
		return key[slices.IndexFunc(above, func(k catalog.KeyColumn) bool { return k.ID == parent })].ID
	}
	l := p.Primary.Behind(of, own, x.Space)
	l.Unique, l.NullsEqual, l.Timing, l.Key = x.Unique, x.Layout.NullsEqual, x.Layout.Timing, declared
	l.Tie = tieBreaker(t, l.Parts())
	x.Layout = l
	host := b.Host(p)
	x.Space.In = &interleave.In{Parent: p.ID, HostID: host.Space.ID, HostName: host.Space.Name, Number: host.Hosted,
		Prefix: x.Name + "."}
	if err := staysBehind(x); err != nil {
		return err
	}
	return b.fitsBy(o, t, &x.Layout)
}

// staysBehind says what an index cannot have whose entries lie behind rows.
func staysBehind(x *catalog.Index) error {
	if x.Space.In == nil || !keepSpace(x.Options) { // it has those of its host
		return nil
	}
	return sqlerr.Unsupported("a capacity or a compression of an index that is interleaved")
}

// staysInterleaved says what a table cannot have whose rows lie with those of others.
func staysInterleaved(t *catalog.Table) error {
	what := ""
	switch {
	case !family.With(t):
		return nil
	case t.Partitioning != nil:
		what = "PARTITION BY RANGE of a table"
	case t.Space.In != nil && keepSpace(t.Options):
		what = "a capacity or a compression of a table" // it has those of its host
	case t.TTL != nil:
		what = "a ttl of a table"
	case celltime.Has(t):
		what = "MUTABILITY with timestamps of a table"
	default:
		return nil
	}
	return sqlerr.Unsupported("%s that is interleaved with others", what)
}

// keepsKeys refuses to lay out the rows of a table anew whose rows lie with those of others.
func (a *Alter) keepsKeys() error {
	switch {
	case family.With(a.Table):
		return sqlerr.Unsupported("changing the primary key of a table that is interleaved")
	case follows(a.Table):
		return sqlerr.Unsupported("changing the primary key of a table with an index that the store keeps")
	}
	return nil
}
