package catalog

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog/compression"
	"zproxy/catalog/consistency"
	"zproxy/catalog/interleave"
	"zproxy/store"
	"zproxy/types"
)

// Space is where the items of a table or an index are kept. It stays as it is when the table is renamed.
type Space struct {
	ID   uint64
	Name string
	// In, if not nil, says behind whose rows the items lie.
	In *interleave.In `json:",omitempty"`
}

// NewSpace names a space after what it holds, in the letters that every store allows.
func NewSpace(id uint64, words ...string) Space {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		}
		return '_'
	}, strings.Join(words, "."))
	return Space{ID: id, Name: fmt.Sprintf("%.180s.%d", name, id)}
}

// Next is another space that takes the part of one: its items lie behind the same rows.
func (s Space) Next(to Space) Space {
	to.In = s.In
	return to
}

// carried are the indexes whose keys rows carry, for the store to keep them.
func carried(t *Table) (out []*Index) {
	for i := range t.Indexes {
		if x := &t.Indexes[i]; x.Follows && x.State.Writes() {
			out = append(out, x)
		}
	}
	return out
}

// TableSpace is the space of a table's rows.
func (t *Table) TableSpace() *store.Space {
	ordinals := t.StoredOrdinals(nil)
	s := t.space(t.Space, &t.Primary, ordinals)
	s.Host = hosted(t.Space, &t.Primary, t.Hosted > 0)
	s.Sorted = s.Sorted || s.Host != nil
	s.Capacity, s.Dense = CapacityOf(t.Options), compression.Dense(t.Options)
	s.Outside = outside{t}.of(nil, ordinals)
	for _, x := range carried(t) {
		s.Carries = append(s.Carries, store.SpaceID(x.Space.ID))
	}
	return s
}

// IndexSpace is the space of an index's entries.
func (t *Table) IndexSpace(x *Index) *store.Space {
	ordinals := t.StoredOrdinals(x)
	s := t.space(x.Space, &x.Layout, ordinals)
	s.Host = hosted(x.Space, &x.Layout, false)
	s.Capacity, s.Dense = CapacityOf(x.Options), compression.Dense(x.Options)
	s.Outside = outside{t}.of(x, ordinals)
	if x.Follows {
		s.Base, s.BaseName, s.Sorted = store.SpaceID(t.Space.ID), t.Space.Name, true
	}
	return s
}

// keyKinds are what the parts of keys are, if a store may keep them as such.
func keyKinds(t *Table, l *Layout) (kinds [2]types.Kind) {
	if !l.Typed {
		return kinds
	}
	for i, p := range l.Parts() { // each is one part
		if kinds[i] = types.KindText; p.Plain() {
			kinds[i] = t.Columns[t.Ordinal(p.Column)].Type.Kind()
		}
	}
	return kinds
}

func (t *Table) space(id Space, l *Layout, ordinals []int) *store.Space {
	s := &store.Space{ID: store.SpaceID(id.ID), Name: id.Name, Sorted: l.Sorted(), KeyKinds: keyKinds(t, l)}
	s.Eventual = consistency.IsEventual(t.Options)
	keys := t.Primary.Columns() // of other columns others may allow NULLs, and write them, before this process knows
	for _, i := range ordinals {
		c := t.Columns[i]
		n, name := id.In.Column(c.ID, c.Stored())
		if !t.Foreign.HasAttribute(t, &c) {
			name = ""
		}
		s.Columns = append(s.Columns, store.Column{
			ID: n, Name: name, Type: c.Type, Missing: c.Missing,
			NotNull: c.NotNull && slices.Contains(keys, c.ID),
		})
	}
	if t.TTL != nil {
		s.Expiry = &store.Expiry{Column: store.NoColumn, After: t.TTL.Life, Number: t.TTL.Number}
		if t.Expires() {
			s.Expiry.Column = slices.Index(ordinals, t.Ordinal(t.TTL.Column))
		}
	}
	return s
}
