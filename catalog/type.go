package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"zproxy/catalog/partition"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Type is a type that CREATE TYPE made.
type Type struct {
	ID      uint32
	Version uint32
	Schema  string
	Name    string
	Labels  []Label `json:",omitempty"` // of an enum, in their order
	Domain  *Domain `json:",omitempty"` // nil: it is none
	Range   *Range  `json:",omitempty"` // nil: its values are no ranges
	// RangeOf is the type of the ranges of a type of multiranges; 0: it is none.
	RangeOf uint32 `json:",omitempty"`
	// Shell says that the type is but a name, which no value is of.
	Shell bool `json:",omitempty"`
	// Composite says that values are rows of Fields.
	Composite bool    `json:",omitempty"`
	Fields    []Field `json:",omitempty"`
	NextField uint32  `json:",omitempty"` // the number of the next one
	Comment   string  `json:",omitempty"`
	Rights
}

// Label is one value of an enum.
type Label struct {
	ID   uint32 // PostgreSQL clients see it as the OID
	Text string
	Key  string  // how the label is stored and compared, for ever
	At   float32 // pg_enum.enumsortorder
}

func (*Type) object() {}

// Ref names a type as a relation is named. Its name is also that of no relation.
func (t *Type) Ref() Ref { return Ref{"type", t.ID, t.Schema, t.Name} }

// OIDs are those of the type, and of arrays of it.
func (t *Type) OIDs() (one, array types.OID) {
	switch {
	case t.Domain != nil:
		return types.DomainOID(t.ID)
	case t.Composite:
		return types.RowOID(t.ID)
	case t.Range != nil:
		return types.RangeOID(t.ID)
	case t.RangeOf != 0:
		return types.MultirangeOID(t.RangeOf)
	}
	return types.EnumOID(t.ID)
}

// IsEnum says whether values of the type are labels.
func (t *Type) IsEnum() bool {
	return t.Domain == nil && !t.Composite && t.Range == nil && t.RangeOf == 0 && !t.Shell
}

// Usable refuses a type that is but a name, as which a statement has named it.
func (t *Type) Usable(name string) error {
	if t.Shell {
		return sqlerr.New(sqlerr.UndefinedObject, "type %q is only a shell", name)
	}
	return nil
}

// Label finds a label by its text, -1 when there is none.
func (t *Type) Label(text string) int {
	return slices.IndexFunc(t.Labels, func(l Label) bool { return l.Text == text })
}

// definition is what values of the type are made by.
func (t *Type) definition() *types.Definition {
	values := make([]types.Value, len(t.Labels))
	for i, l := range t.Labels {
		values[i] = types.NewEnum(l.Key, l.Text)
	}
	return &types.Definition{Name: t.shown(), Labels: types.NewLabels(values)}
}

// shown is the name of the type as messages show it, with its schema unless that is public.
func (t *Type) shown() string { return shownIn(t.Schema, t.Name) }

func shownIn(schema, name string) string {
	if schema == PublicName {
		return quoted(name)
	}
	return quoted(schema) + "." + quoted(name)
}

func quoted(name string) string {
	plain := func(r rune) bool { return r >= 'a' && r <= 'z' || r == '_' || r >= '0' && r <= '9' || r > 127 }
	if name != "" && (name[0] < '0' || name[0] > '9') && strings.IndexFunc(name, func(r rune) bool {
		return !plain(r)
	}) < 0 {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// userTypes are the types of a snapshot that users made.
type userTypes struct {
	types map[uint32]*Type
	names map[name]*Type
	known map[uint32]*types.Definition
	// domains are those of the types that are some.
	domains map[uint32]*types.Domain
	// rows are the definitions of the rows of relations that types of columns are made of.
	rows map[uint32]*types.Definition
}

func newUserTypes() userTypes {
	return userTypes{map[uint32]*Type{}, map[name]*Type{}, map[uint32]*types.Definition{}, map[uint32]*types.Domain{},
		map[uint32]*types.Definition{}}
}

func (u userTypes) clone() userTypes {
	return userTypes{maps.Clone(u.types), maps.Clone(u.names), maps.Clone(u.known), maps.Clone(u.domains),
		maps.Clone(u.rows)}
}

func (u userTypes) put(t *Type) {
	u.remove(t.ID)
	u.types[t.ID], u.names[name{t.Schema, t.Name}] = t, t
	if t.IsEnum() {
		u.known[t.ID] = t.definition()
	}
}

func (u userTypes) remove(id uint32) {
	if old := u.types[id]; old != nil {
		delete(u.names, name{old.Schema, old.Name})
		delete(u.types, id)
		delete(u.known, id)
		delete(u.domains, id)
	}
}

// TypeByID finds a type that a user made, nil when there is none.
func (u userTypes) TypeByID(id uint32) *Type { return u.types[id] }

// TypeNamed finds a type that a user made by its name, nil when there is none.
func (u userTypes) TypeNamed(schema, typ string) *Type { return u.names[name{schema, typ}] }

// Types are all types that users made, by their IDs.
func (u userTypes) Types() []*Type {
	return slices.SortedFunc(maps.Values(u.types), func(a, b *Type) int { return cmp.Compare(a.ID, b.ID) })
}

// TypeOf finds the user's type that a type is, or is an array of; nil when it is another one.
func (u userTypes) TypeOf(oid types.OID) (t *Type, array bool) {
	id, array := oid.Enum()
	if domain, arrays := oid.Domain(); domain != 0 {
		id, array = domain, arrays
	}
	if row, arrays := oid.Relation(); row != 0 {
		id, array = row, arrays
	}
	if ranges, multi, arrays := oid.UserRange(); ranges != 0 {
		if t, array = u.types[ranges], arrays; t != nil && multi {
			t = u.types[t.Range.Multirange]
		}
		return t, array
	}
	return u.types[id], array
}

// Defined is a type with its definition, if a user made it.
func (u userTypes) Defined(t types.T) types.T {
	if id, _ := t.OID.Enum(); id != 0 {
		t.Def = u.known[id]
	}
	if id, _ := t.OID.Relation(); id != 0 {
		if d := u.row(id); d != nil {
			t.Def = d
		}
	}
	if of, _ := u.TypeOf(t.OID); of != nil && (of.Range != nil || of.RangeOf != 0) {
		t.Def = u.rangeOf(of)
	}
	id, array := t.Number().Domain()
	d := u.domains[id]
	switch {
	case d == nil:
		return t
	case array && d.Array == nil:
		return t
	case array:
		d = d.Array
	}
	return d.OfDomain()
}

// defined is a relation whose columns have the definitions of their types.
func (u userTypes) defined(r Relation) Relation {
	stale := func(t types.T) bool {
		d := u.Defined(t)
		return d.Def != t.Def || d.Domain != t.Domain || !d.Same(t)
	}
	switch r := r.(type) {
	case *Table:
		if !slices.ContainsFunc(r.Columns, func(c Column) bool { return stale(c.Type) }) {
			return r
		}
		c := *r
		c.PartitionOf = u.labelled(r.PartitionOf)
		c.Columns = slices.Clone(r.Columns)
		for i := range c.Columns {
			of := &c.Columns[i]
			of.Type = u.Defined(of.Type)
			of.Missing = of.Type.Labelled(of.Missing)
		}
		return &c
	case *View:
		if !slices.ContainsFunc(r.Columns, func(c ViewColumn) bool { return stale(c.Type) }) {
			return r
		}
		c := *r
		c.Columns = slices.Clone(r.Columns)
		for i := range c.Columns {
			c.Columns[i].Type = u.Defined(c.Columns[i].Type)
		}
		return &c
	}
	return r
}

// labelled is what a partition takes, with the labels of the enums among its bounds.
func (u userTypes) labelled(p *partition.Of) *partition.Of {
	if p == nil {
		return nil
	}
	edges := func(list []partition.Edge) []partition.Edge {
		list = slices.Clone(list)
		for i := range list {
			list[i].Value = u.Defined(p.By.Keys[i].Type).Labelled(list[i].Value)
		}
		return list
	}
	c := *p
	c.From, c.To, c.In = edges(p.From), edges(p.To), slices.Clone(p.In)
	for i := range c.In {
		c.In[i] = u.Defined(p.By.Keys[0].Type).Labelled(c.In[i])
	}
	return &c
}

// Users are the relations with columns of a type, and these columns.
func (s *Snapshot) Users(oid types.OID) map[Relation][]uint32 {
	out := map[Relation][]uint32{}
	uses := func(of types.T) bool { return of.Number() == oid }
	for _, r := range s.relations {
		switch r := r.(type) {
		case *Table:
			for _, c := range r.Columns {
				if uses(c.Type) {
					out[r] = append(out[r], c.ID)
				}
			}
		case *View:
			for i, c := range r.Columns {
				if uses(c.Type) {
					out[r] = append(out[r], uint32(i+1))
				}
			}
		}
	}
	return out
}
