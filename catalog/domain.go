package catalog

import (
	"cmp"
	"slices"

	"zproxy/types"
)

// Domain is what a type is that CREATE DOMAIN made.
type Domain struct {
	Base        types.T // perhaps another domain
	NotNull     bool    `json:",omitempty"`
	Default     string  `json:",omitempty"` // the SQL text of an expression; empty is that of Base
	DefaultUses []Bound `json:",omitempty"`
	// DefaultRead is how the constants of Default are read.
	DefaultRead *Literals `json:",omitempty"`
	Checks      []Check   `json:",omitempty"` // over the value, by their names
}

// Check finds a CHECK constraint by name, -1 when there is none.
func (d *Domain) Check(name string) int {
	return slices.IndexFunc(d.Checks, func(c Check) bool { return c.Name == name })
}

// Value is the value of a domain as its checks name it, VALUE: the only column of a row.
func (d Domain) Value() *View { return &View{Columns: []ViewColumn{{Name: "value", Type: d.Base}}} }

// AsColumn is a column that has the default of a domain; the zero one of another type.
func (t *Type) AsColumn() Column {
	d := t.Domain
	if d == nil {
		return Column{}
	}
	return Column{Name: t.Name, Type: d.Base, Default: d.Default, DefaultUses: d.DefaultUses,
		DefaultRead: d.DefaultRead}
}

// WithDomain is a copy of a type whose domain is changed.
func (t *Type) WithDomain(change func(*Domain)) *Type {
	c, d := *t, *t.Domain
	c.Version++
	d.Checks = slices.Clone(d.Checks)
	change(&d)
	slices.SortFunc(d.Checks, func(a, b Check) int { return cmp.Compare(a.Name, b.Name) })
	c.Domain = &d
	return &c
}

// define gives the domains among the types their definitions, those over which others are first.
func (u userTypes) define() {
	clear(u.domains)
	for _, t := range u.Types() {
		if t.Composite || t.Range != nil || t.RangeOf != 0 {
			delete(u.known, t.ID)
		}
	}
	for _, t := range u.Types() {
		u.domainOf(t)
		u.row(t.ID)
		if t.Range != nil {
			u.rangeOf(t)
		}
	}
}

// domainOf is the domain that a type is, nil for another type.
func (u userTypes) domainOf(t *Type) *types.Domain {
	if t == nil || t.Domain == nil {
		return nil
	}
	if known := u.domains[t.ID]; known != nil {
		return known
	}
	one, array := t.OIDs()
	d := &types.Domain{OID: one, Name: t.shown(), Schema: t.Schema, Base: t.Domain.Base}
	if below := t.Domain.Base.Domain; below != nil {
		id, _ := below.OID.Domain()
		u.domainOf(u.types[id])
	}
	d.Base = u.Defined(d.Base)
	if _, ok := types.ArrayOf(d.Base.Base()); ok {
		d.Array = &types.Domain{OID: array, Name: d.Name + "[]", Schema: t.Schema, Element: d}
	}
	u.domains[t.ID] = d
	return d
}
