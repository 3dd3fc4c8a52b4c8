package catalog

import (
	"maps"

	"zproxy/types"
)

// Virtual is a relation of the system's own, whose rows are computed when they are read.
// It is there in every snapshot and cannot be changed.
type Virtual struct {
	ID      uint32
	Schema  string
	Name    string
	Kind    Kind // TableKind or ViewKind, as clients see it
	Columns []VirtualColumn
	Comment string
	// Query makes the rows, as that of a view along the search path pg_catalog. It is
	// empty where code does.
	Query string
	// Key is the place of the column by which rows of one object can be computed without
	// the others, -1 when there is none.
	Key int
	// Rows is how many there are, about, for the choice between plans.
	Rows float64
}

// VirtualColumn is a column of a Virtual; the first has the number 1.
type VirtualColumn struct {
	Name    string
	Type    types.T
	NotNull bool
}

// Ref implements Relation.
func (v *Virtual) Ref() Ref { return Ref{v.Kind, v.ID, v.Schema, v.Name} }

// System is the schemas and relations that are not kept in the store: the same in every
// snapshot.
type System struct {
	schemas  []*Schema
	names    map[name]*Virtual
	numbers  map[uint32]*Virtual
	virtuals []*Virtual
}

// NewSystem makes a System.
func NewSystem(schemas []*Schema, relations []*Virtual) *System {
	s := &System{schemas: schemas, virtuals: relations, names: map[name]*Virtual{}, numbers: map[uint32]*Virtual{}}
	for _, v := range relations {
		s.names[name{v.Schema, v.Name}], s.numbers[v.ID] = v, v
	}
	return s
}

// Over is the snapshot with the relations of a system. The system's names come before those
// of the snapshot.
func (s *Snapshot) Over(system *System) *Snapshot {
	c := *s
	c.system = system
	c.schemas = maps.Clone(s.schemas)
	for _, schema := range system.schemas {
		c.schemas[schema.Name] = schema
	}
	return &c
}

// Virtuals are all relations of the system, in no order.
func (s *Snapshot) Virtuals() []*Virtual {
	if s.system == nil {
		return nil
	}
	return s.system.virtuals
}

// IsSystem says whether a schema is the system's own, so that no statement can make or change
// anything in it.
func (s *Snapshot) IsSystem(schema string) bool {
	if schema == PgCatalogName {
		return true
	}
	if s.system == nil {
		return false
	}
	for _, own := range s.system.schemas {
		if own.Name == schema {
			return true
		}
	}
	return false
}

// Relation finds a relation of the system by name, nil when there is none.
func (s *System) Relation(schema, rel string) *Virtual { return s.names[name{schema, rel}] }
