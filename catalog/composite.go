package catalog

import (
	"slices"

	"zproxy/types"
)

// Field is an attribute of a composite type.
type Field struct {
	ID      uint32 // from 1; PostgreSQL clients see it as attnum
	Name    string
	Type    types.T
	Comment string `json:",omitempty"`
}

// Field finds an attribute by its name, -1 when there is none.
func (t *Type) Field(name string) int {
	return slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
}

// row is the definition of the rows that a composite type is of, nil for another type.
func (u userTypes) row(id uint32) *types.Definition {
	t := u.types[id]
	if t == nil || !t.Composite {
		return u.rows[id]
	}
	if d := u.known[id]; d != nil {
		return d
	}
	d := &types.Definition{Name: t.shown()}
	u.known[id] = d // which has its fields as soon as they are known
	numbers := make([]uint32, len(t.Fields))
	for i, f := range t.Fields {
		numbers[i] = f.ID
		d.Names, d.Types = append(d.Names, f.Name), append(d.Types, u.Defined(f.Type))
	}
	d.SetNumbers(numbers)
	return d
}

// rowOf is the definition of the rows of a table or view, nil for another relation.
func (u userTypes) rowOf(r Relation) *types.Definition {
	out := &types.Definition{}
	var numbers []uint32
	add := func(number uint32, name string, t types.T) {
		numbers = append(numbers, number)
		out.Names, out.Types = append(out.Names, name), append(out.Types, u.Defined(t))
	}
	switch r := r.(type) {
	case *Table:
		for _, c := range r.Columns {
			if !c.Hidden {
				add(c.ID, c.Name, c.Type)
			}
		}
	case *View:
		for i, c := range r.Columns {
			add(uint32(i+1), c.Name, c.Type)
		}
	default:
		return nil
	}
	out.SetNumbers(numbers)
	ref := r.Ref()
	out.Name = shownIn(ref.Schema, ref.Name)
	return out
}

// rowsNeeded are the relations whose rows some types are made of.
func (u userTypes) rowsNeeded(all []types.T) (out []uint32) {
	for _, t := range all {
		for t.IsDomain() {
			t = t.Domain.Base
		}
		if id, _ := t.OID.Relation(); id != 0 && u.types[id] == nil {
			out = append(out, id)
		}
	}
	return out
}

// typesOf are the types that an object is made of.
func typesOf(o Object) (out []types.T) {
	switch o := o.(type) {
	case *Table:
		for i := range o.Columns {
			out = append(out, o.Columns[i].Type)
		}
	case *View:
		for i := range o.Columns {
			out = append(out, o.Columns[i].Type)
		}
	case *Type:
		for _, f := range o.Fields {
			out = append(out, f.Type)
		}
		if o.Domain != nil {
			out = append(out, o.Domain.Base)
		}
		if o.Range != nil {
			out = append(out, o.Range.Subtype)
		}
	}
	return out
}

// retype gives types, and the columns of all relations, the definitions of today if objects that are put change any.
func (s *Snapshot) retype(objects []Object) {
	changed := false
	for _, o := range objects {
		_, isType := o.(*Type)
		changed = changed || isType
		for _, id := range s.rowsNeeded(typesOf(o)) {
			if _, known := s.rows[id]; !known {
				s.rows[id], changed = nil, true
			}
		}
		if r, ok := o.(Relation); ok {
			_, used := s.rows[r.Ref().ID]
			changed = changed || used
		}
	}
	if !changed {
		return
	}
	s.define()
	for id := range s.rows { // those that are made of others find them by their numbers, as often as they are nested
		s.rows[id] = s.rowOf(s.relations[id])
	}
	for id := range s.rows {
		s.rows[id] = s.rowOf(s.relations[id])
	}
	if len(s.rows) > 0 {
		s.define()
	}
	for id, r := range s.relations {
		s.relations[id] = s.defined(r)
	}
}
