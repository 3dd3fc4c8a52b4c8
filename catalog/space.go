package catalog

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/store"
)

// Space is where the items of a table or an index are kept. Both fields stay as they
// are when the table is renamed.
type Space struct {
	ID   uint64
	Name string
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

// TableSpace is the space of a table's rows.
func (t *Table) TableSpace() *store.Space {
	s := t.space(t.Space, &t.Primary, t.StoredOrdinals(nil))
	s.Capacity = CapacityOf(t.Options)
	s.Outside = t.outside(nil)
	return s
}

// IndexSpace is the space of an index's entries.
func (t *Table) IndexSpace(x *Index) *store.Space {
	s := t.space(x.Space, &x.Layout, t.StoredOrdinals(x))
	s.Capacity = CapacityOf(x.Options)
	s.Outside = t.outside(x)
	return s
}

func (t *Table) space(id Space, l *Layout, ordinals []int) *store.Space {
	s := &store.Space{ID: store.SpaceID(id.ID), Name: id.Name, Sorted: l.Sorted()}
	keys := t.Primary.Columns() // of other columns others may allow NULLs, and write them, before this process knows
	for _, i := range ordinals {
		c := t.Columns[i]
		s.Columns = append(s.Columns, store.Column{
			ID: c.ID, Name: c.Stored(), Type: c.Type, Missing: c.Missing,
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
