package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"zproxy/catalog/amendment"
	"zproxy/catalog/conversion"
	"zproxy/catalog/locale"
	"zproxy/catalog/operator"
	"zproxy/catalog/publication"
	"zproxy/types"
)

// Plain is an object without rows or columns, that is found by its kind and name. One of the definitions says what it
// is besides.
type Plain struct {
	ID      uint32
	Version uint32
	Kind    Kind
	Schema  string `json:",omitempty"` // empty: it is in none
	Name    string
	Comment string `json:",omitempty"`
	Rights
	Operator    *operator.Definition    `json:",omitempty"`
	Cast        *conversion.Definition  `json:",omitempty"`
	Publication *publication.Definition `json:",omitempty"`
	Collation   *locale.Definition      `json:",omitempty"`
	Amendment   *amendment.Definition   `json:",omitempty"`
	// Filters are which rows of tables a publication has, by the numbers of the tables. Of others it has all.
	Filters map[uint32]*Condition `json:",omitempty"`
}

// The kinds of these objects.
const (
	OperatorKind Kind = "operator"
	CastKind     Kind = "cast" // it has no name
	// PublicationKind is the kind of publications.
	PublicationKind Kind = "publication"
	// CollationKind is the kind of collations.
	CollationKind Kind = "collation"
	// AmendmentKind is the kind of amendments to objects of the system.
	AmendmentKind Kind = "amendment"
)

func (*Plain) object() {}

// Ref names an object as a relation is named. Its name is free for relations, too. An amendment is called as what it
// is to.
func (p *Plain) Ref() Ref {
	if a := p.Amendment; a != nil {
		return Ref{Kind(a.Kind), p.ID, "", a.Name}
	}
	return Ref{p.Kind, p.ID, p.Schema, p.Name}
}

// Class is the number of the catalog of PostgreSQL that has the object.
func (p *Plain) Class() uint32 {
	if p.Amendment != nil {
		return p.Amendment.Class
	}
	return plainClasses[p.Kind].number
}

// Catalog is the name of that.
func (p *Plain) Catalog() string { return plainClasses[p.Kind].name }

// OID is the number of the object in that.
func (p *Plain) OID() uint32 {
	if p.Amendment != nil {
		return p.Amendment.OID
	}
	return p.ID
}

// Amended is what a database has changed of an object of the system, nil: nothing.
func (s *plains) Amended(class string, oid uint32) *Plain {
	return s.Named(AmendmentKind, amendment.Key(class, oid))
}

var plainClasses = map[Kind]struct {
	number uint32
	name   string
}{OperatorKind: {2617, "pg_operator"}, CastKind: {2605, "pg_cast"},
	PublicationKind: {6104, "pg_publication"}, CollationKind: {3456, "pg_collation"}}

// Key is what no other object of the kind has in the schema.
func (p *Plain) Key() string {
	switch {
	case p.Operator != nil:
		return fmt.Sprintf("%s(%d,%d)", p.Name, p.Operator.Left, p.Operator.Right)
	case p.Cast != nil:
		return fmt.Sprintf("(%d,%d)", p.Cast.From, p.Cast.To)
	}
	return p.Name
}

// Types are the types that the object is about.
func (p *Plain) Types() []types.OID {
	switch {
	case p.Operator != nil:
		return p.Operator.Operands()
	case p.Cast != nil:
		return []types.OID{p.Cast.From, p.Cast.To}
	}
	return nil
}

// Functions are the numbers of the functions that the object needs.
func (p *Plain) Functions() []uint32 {
	switch {
	case p.Operator != nil && p.Operator.Function != 0:
		return []uint32{p.Operator.Function}
	case p.Cast != nil && p.Cast.Function != 0:
		return []uint32{p.Cast.Function}
	}
	return nil
}

// others are what a snapshot has besides.
type others struct {
	extensions
	plains
}

func (o *others) clone() others { return others{maps.Clone(o.extensions), o.plains.clone()} }

// Relations are the numbers of the relations that the object names. They may be gone.
func (p *Plain) Relations() (out []uint32) {
	if p.Publication != nil {
		for _, t := range p.Publication.Tables {
			out = append(out, t.ID)
		}
	}
	return out
}

// plains are those of a snapshot.
type plains struct {
	plains map[uint32]*Plain
	known  map[plainName][]*Plain
}

type plainName struct {
	kind Kind
	name
}

// PlainByID finds an object, nil when there is none.
func (s *plains) PlainByID(id uint32) *Plain { return s.plains[id] }

// Plains are the objects of a kind, or all, by their IDs.
func (s *plains) Plains(kind Kind) (out []*Plain) {
	for _, p := range s.plains {
		if kind == "" || p.Kind == kind {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *Plain) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// PlainsNamed are the objects of a kind that bear a name in a schema, by their IDs.
func (s *plains) PlainsNamed(kind Kind, schema, of string) []*Plain {
	return s.known[plainName{kind, name{schema, of}}]
}

// HasPlains says whether there is any of a kind.
func (s *plains) HasPlains(kind Kind) bool {
	for _, p := range s.plains {
		if p.Kind == kind {
			return true
		}
	}
	return false
}

// Operator finds an operator by its sign and the types of its operands, nil when there is none.
func (s *plains) Operator(schema, sign string, left, right types.OID) *Plain {
	for _, p := range s.PlainsNamed(OperatorKind, schema, sign) {
		if p.Operator.Takes(left, right) {
			return p
		}
	}
	return nil
}

// Cast finds a cast that users made, nil when there is none.
func (s *plains) Cast(from, to types.OID) *Plain {
	for _, p := range s.PlainsNamed(CastKind, "", "") {
		if p.Cast.From == from && p.Cast.To == to {
			return p
		}
	}
	return nil
}

// Named finds an object of a kind that is in no schema, nil when there is none.
func (s *plains) Named(kind Kind, of string) *Plain {
	for _, p := range s.PlainsNamed(kind, "", of) {
		return p
	}
	return nil
}

// as is how a stored query finds the objects that it uses.
func (s *plains) as(uses []Use) map[plainName][]*Plain {
	out := map[plainName][]*Plain{}
	for _, u := range uses {
		if p := s.plains[u.ID]; p != nil {
			key := plainName{p.Kind, name{u.Schema, u.Name}}
			out[key] = append(out[key], p)
		}
	}
	return out
}

// index makes the names anew.
func (s *plains) index() {
	s.known = map[plainName][]*Plain{}
	for _, p := range s.Plains("") {
		key := plainName{p.Kind, name{p.Schema, p.Name}}
		s.known[key] = append(s.known[key], p)
	}
}

func (s *plains) clone() plains { return plains{plains: maps.Clone(s.plains)} }
