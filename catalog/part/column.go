package part

import (
	"zproxy/types"
)

// Column is the value of a column, NULL last, or first when descending.
const Column Kind = 0

type column struct{ base }

func (column) bind(p *Part, t Table) (Bound, error) {
	src := t.Source(p.Column)
	return Bound{Source: src, Type: src.Type, Desc: p.Desc, form: form{kept: true}}, nil
}

func (column) describe(p *Part, t Table) string {
	if p.Desc {
		return namesOf(t, p.Column) + " DESC"
	}
	return namesOf(t, p.Column)
}

func (column) template(p *Part, t Table) string {
	return hole(templateName(t, p.Column), padding(p.Width))
}

func (column) leastBytes(p *Part, t Table) int {
	if src := t.Source(p.Column); src.Filled && src.Type.OID == types.OIDUUID {
		return 1 + 16
	}
	return 1
}

func (column) bytes(p *Part, t Table) float64           { return t.KeyBytes(p.Column) }
func (column) follows(p *Part) (column uint32, ok bool) { return p.Column, true }
func (column) keeps(*Part, Table) bool                  { return true }

// varies says false of the two texts of a bool, of which neither begins or ends with the other. A
// number goes on with digits, a date with its era or the sign of an infinite one.
func (column) varies(p *Part, t Table) (before, behind string, ok bool) {
	if p.Width > 0 {
		return "", "", false
	}
	switch typ := t.Source(p.Column).Type; {
	case typ.OID == types.OIDUUID, typ.OID == types.OIDBool:
		return "", "", false
	case typ.Kind() == types.KindInt:
		return decimals, decimals, true
	case typ.Kind() == types.KindDate:
		return decimals + "-", decimals + " ", true
	}
	return "", "", true
}
