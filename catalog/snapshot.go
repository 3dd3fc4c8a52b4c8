package catalog

import (
	"cmp"
	"maps"
	"slices"

	"zproxy/catalog/extent"
	"zproxy/catalog/learned"
)

// Snapshot is the catalog of one database at one moment, with what all databases share. It never changes.
type Snapshot struct {
	*common
	in        uint32 // the database
	schemas   map[string]*Schema
	relations map[uint32]Relation // tables, views and sequences, by ID
	names     map[name]Relation   // with the indexes
	indexes   map[uint32]TableIndex
	system    *System // nil: there is none
	version   uint64
	instead   []*Table // what a stored query would see instead of others
	partitions
	heirs
	statistics
	others
	functions
	userTypes
}

type name struct{ schema, name string }

// NewSnapshot is a snapshot of some objects, and of those that are always there: the
// schemas public and pg_catalog, the roles of PostgreSQL, and the default database, of which it is.
func NewSnapshot(objects ...Object) *Snapshot {
	return newSnapshot(DatabaseID, newCommon(), objects)
}

// newSnapshot is a snapshot of a database.
func newSnapshot(in uint32, c *common, objects []Object) *Snapshot {
	s := &Snapshot{common: c, in: in, schemas: map[string]*Schema{}, relations: map[uint32]Relation{},
		statistics: statistics{}, others: others{extensions: extensions{},
			plains: plains{plains: map[uint32]*Plain{}}},
		functions: functions{functions: map[uint32]*Function{}}, userTypes: newUserTypes()}
	builtIn := []Object{&Schema{ID: PublicID, Name: PublicName, Comment: "standard public schema"},
		&Schema{ID: PgCatalogID, Name: PgCatalogName, Rights: SystemRights()}}
	s.putAll(slices.Concat(builtIn, builtInExtensions(), objects))
	return s
}

// putAll takes objects in: types first, which are what columns of relations have.
func (s *Snapshot) putAll(objects []Object) {
	s.common = s.common.with(objects)
	retyped := false
	for _, o := range objects {
		if t, ok := o.(*Type); ok {
			s.userTypes.put(t)
			retyped = true
		}
	}
	if retyped {
		s.define()
	}
	for _, o := range objects {
		s.put(o)
	}
	s.retype(objects)
	s.index()
}

func (s *Snapshot) put(o Object) {
	if t, ok := o.(*Table); ok {
		was, _ := s.relations[t.ID].(*Table)
		keepLearning(t, was)
	}
	switch o := o.(type) {
	case *Schema:
		maps.DeleteFunc(s.schemas, func(_ string, old *Schema) bool { return old.ID == o.ID })
		s.schemas[o.Name] = withPublicRights(o)
	case *Role, *Database: // of all databases
	case *Statistics:
		s.statistics[o.ID] = o
	case *Extension:
		s.extensions[o.ID] = o
	case *Function:
		s.functions.functions[o.ID] = o
	case *Plain:
		s.plains.plains[o.ID] = o
	case *Type:
	case Relation:
		s.relations[o.Ref().ID] = s.defined(o)
	}
}

// keepLearning gives a version of a table what the process learns of its rows: what it has learned with the version
// before, if that had the same rows and statistics.
func keepLearning(t, was *Table) {
	same := was != nil && was.Space.ID == t.Space.ID
	if !t.Stats.Known && t.Stats.Extent == nil {
		if t.Stats.Extent = (&extent.Cell{}); same && was.Stats.Extent != nil {
			t.Stats.Extent = was.Stats.Extent
		}
	}
	same = same && was.Stats.isOf(&t.Stats)
	if t.Stats.Known && t.Stats.Growth == nil {
		if t.Stats.Growth = (&extent.Growth{}); same && was.Stats.Growth != nil {
			t.Stats.Growth = was.Stats.Growth
		}
	}
	if t.Stats.Learned == nil {
		if t.Stats.Learned = (&learned.Cell{}); same {
			t.Stats.Learned = was.Stats.Learned
		}
	}
}

// SystemRights are those on a schema of the system, which everybody may use.
func SystemRights() Rights {
	return Rights{Owner: BootstrapID, ACL: ACL{
		{Grantee: BootstrapID, Grantor: BootstrapID, Privileges: MayUse | MayCreate},
		{Grantee: Public, Grantor: BootstrapID, Privileges: MayUse},
	}}
}

// withPublicRights gives the schema public the rights that it has in PostgreSQL, if it is
// stored without any.
func withPublicRights(o *Schema) *Schema {
	if o.ID != PublicID || o.Owner != 0 {
		return o
	}
	c := *o
	c.Rights = Rights{Owner: DatabaseOwnerID, ACL: ACL{
		{Grantee: DatabaseOwnerID, Grantor: DatabaseOwnerID, Privileges: MayUse | MayCreate},
		{Grantee: Public, Grantor: DatabaseOwnerID, Privileges: MayUse},
	}}
	return &c
}

// index makes names. Names of indexes belong to their table, so several may bear one; the
// oldest is found.
func (s *Snapshot) index() {
	s.names, s.indexes = make(map[name]Relation, len(s.relations)), map[uint32]TableIndex{}
	add := func(r Relation) {
		ref := r.Ref()
		if _, there := s.names[name{ref.Schema, ref.Name}]; !there {
			s.names[name{ref.Schema, ref.Name}] = r
		}
	}
	for _, r := range s.relations {
		add(r)
	}
	s.functions.index()
	s.plains.index()
	tables := s.byID()
	s.partitions, s.heirs = partitionsOf(tables), heirsAmong(tables)
	for _, t := range tables {
		for _, x := range t.TableIndexes() {
			add(x)
			s.indexes[x.Ref().ID] = x
		}
	}
}

func (s *Snapshot) byID() []*Table {
	var out []*Table
	for _, id := range slices.Sorted(maps.Keys(s.relations)) {
		if t, ok := s.relations[id].(*Table); ok {
			out = append(out, t)
		}
	}
	return out
}

// Version is that of the catalog in the store since which the snapshot is as it is, where several processes go by it;
// else 0.
func (s *Snapshot) Version() uint64 { return s.version }

// At is the snapshot as a version of the catalog in the store.
func (s *Snapshot) At(version uint64) *Snapshot {
	c := *s
	c.version = version
	return &c
}

// Schema finds a schema, nil when there is none.
func (s *Snapshot) Schema(name string) *Schema { return s.schemas[name] }

// SchemaByID finds a schema by its number, nil when there is none.
func (s *Snapshot) SchemaByID(id uint32) *Schema {
	for _, schema := range s.schemas {
		if schema.ID == id {
			return schema
		}
	}
	return nil
}

// Relation finds what a name stands for, nil when there is nothing.
func (s *Snapshot) Relation(schema, rel string) Relation {
	if s.system != nil {
		if v := s.system.names[name{schema, rel}]; v != nil {
			return v
		}
	}
	return s.names[name{schema, rel}]
}

// ByID finds a table, view or sequence, nil when there is none.
func (s *Snapshot) ByID(id uint32) Relation { return s.relations[id] }

// Numbered is ByID for indexes and the system's relations, too.
func (s *Snapshot) Numbered(id uint32) Relation {
	if s.system != nil {
		if v := s.system.numbers[id]; v != nil {
			return v
		}
	}
	if r := s.relations[id]; r != nil {
		return r
	}
	if x, ok := s.indexes[id]; ok {
		return x
	}
	return nil
}

// Table finds a table, nil when there is none.
func (s *Snapshot) Table(schema, table string) *Table {
	t, _ := s.Relation(schema, table).(*Table)
	return t
}

// Objects are all objects of the database that are kept in the store, but for the database.
func (s *Snapshot) Objects() (out []Object) {
	for _, o := range s.Schemas() {
		if !s.IsSystem(o.Name) {
			out = append(out, o)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.relations)) {
		if o, ok := s.relations[id].(Object); ok {
			out = append(out, o)
		}
	}
	for _, o := range s.statistics {
		out = append(out, o)
	}
	for _, o := range s.extensions {
		out = append(out, o)
	}
	for _, o := range s.functions.functions {
		out = append(out, o)
	}
	for _, o := range s.types {
		out = append(out, o)
	}
	for _, o := range s.plains.plains {
		out = append(out, o)
	}
	return out
}

// Schemas are all schemas, by name.
func (s *Snapshot) Schemas() []*Schema {
	return slices.SortedFunc(maps.Values(s.schemas), func(a, b *Schema) int { return cmp.Compare(a.Name, b.Name) })
}

// Tables are all tables, by schema and name.
func (s *Snapshot) Tables() []*Table { return all[*Table](s) }

// Views are all views, by schema and name.
func (s *Snapshot) Views() []*View { return all[*View](s) }

// Sequences are all sequences, by schema and name.
func (s *Snapshot) Sequences() []*Sequence { return all[*Sequence](s) }

func all[T Relation](s *Snapshot) []T {
	var out []T
	for _, r := range s.relations {
		if t, ok := r.(T); ok {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b T) int {
		x, y := a.Ref(), b.Ref()
		return cmp.Or(cmp.Compare(x.Schema, y.Schema), cmp.Compare(x.Name, y.Name))
	})
	return out
}

// With is a snapshot in which objects stand for those of their IDs.
func (s *Snapshot) With(objects ...Object) *Snapshot {
	c := s.next()
	c.putAll(objects)
	return c
}

// Without is a snapshot without some objects.
func (s *Snapshot) Without(objects ...Object) *Snapshot {
	c := s.next()
	c.common = c.common.without(objects)
	for _, o := range objects {
		switch o := o.(type) {
		case *Schema:
			delete(c.schemas, o.Name)
		case *Statistics:
			delete(c.statistics, o.ID)
		case *Extension:
			delete(c.extensions, o.ID)
		case *Function:
			delete(c.functions.functions, o.ID)
		case *Plain:
			delete(c.plains.plains, o.ID)
		case *Type:
			c.userTypes.remove(o.ID)
		case Relation:
			delete(c.relations, o.Ref().ID)
		}
	}
	c.index()
	return c
}

func (s *Snapshot) next() *Snapshot {
	return &Snapshot{
		common: s.common, in: s.in, schemas: maps.Clone(s.schemas), relations: maps.Clone(s.relations),
		system: s.system, version: s.version, statistics: maps.Clone(s.statistics),
		others:    s.others.clone(),
		functions: functions{functions: maps.Clone(s.functions.functions)},
		userTypes: s.userTypes.clone(),
	}
}

// As is the snapshot as a stored query saw it when it was made: the relations that it
// uses, under the names that they and their columns had. Columns that were added since
// are hidden. Some tables may be others instead, but only to this query and not to the
// views that it uses.
func (s *Snapshot) As(uses []Use, instead ...*Table) *Snapshot {
	c := *s
	c.names, c.instead = map[name]Relation{}, instead
	c.functions.named = s.functions.as(uses)
	c.plains.known = s.plains.as(uses)
	c.userTypes.names = map[name]*Type{}
	for _, u := range uses {
		if t := s.types[u.ID]; t != nil {
			c.userTypes.names[name{u.Schema, u.Name}] = t
		}
		r := s.relations[u.ID]
		for _, t := range instead {
			if t.ID == u.ID {
				r = t
			}
		}
		if r != nil {
			c.names[name{u.Schema, u.Name}] = asUsed(r, u)
		}
	}
	return &c
}

// Present is a relation with all columns that it has, also to a stored query.
func (s *Snapshot) Present(id uint32) Relation {
	for _, t := range s.instead {
		if t.ID == id {
			return t
		}
	}
	if s.system != nil && s.system.numbers[id] != nil {
		return s.system.numbers[id]
	}
	return s.relations[id]
}

// asUsed is a relation under the names of a use; the relation itself if they are its own.
func asUsed(r Relation, u Use) Relation {
	switch r := r.(type) {
	case *Table:
		c := *r
		c.Schema, c.Name = u.Schema, u.Name
		c.Columns = slices.Clone(r.Columns)
		same := r.Schema == u.Schema && r.Name == u.Name
		for i := range c.Columns {
			col := &c.Columns[i]
			at := slices.IndexFunc(u.Columns, func(b Bound) bool { return b.ID == col.ID })
			switch {
			case at >= 0:
				col.Name, col.Hidden = u.Columns[at].Name, false // another use may not have had it
			default:
				col.Hidden = true
			}
			same = same && col.Name == r.Columns[i].Name && col.Hidden == r.Columns[i].Hidden
		}
		if !same {
			return &c
		}
	case *View:
		c := *r
		c.Schema, c.Name, c.Columns = u.Schema, u.Name, slices.Clone(r.Columns)
		for i := range min(len(u.Columns), len(c.Columns)) { // a view's columns keep their places
			c.Columns[i].Name = u.Columns[i].Name
		}
		c.Columns = c.Columns[:min(len(u.Columns), len(c.Columns))]
		return &c
	}
	return r
}
