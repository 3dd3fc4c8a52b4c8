package part

import (
	"slices"

	"zproxy/types"
)

// Column is the value of a column, NULL last, or first when descending.
const Column Kind = 0

type column struct{ base }

func (column) bind(p *Part, t Table) (Bound, error) {
	src := t.Source(p.Column)
	return Bound{Source: src, Type: src.Type, Desc: p.Desc, NullsSwapped: p.NullsSwapped, form: form{kept: true}}, nil
}

func (column) describe(p *Part, t Table) string {
	return namesOf(t, p.Column) + p.Direction()
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

func (column) read(r *Template, word string) (Part, error) {
	of, err := r.source(word)
	return Part{Column: of.ID}, err
}

func (column) format(r *Template, p *Part, format string, given bool) error {
	of := r.Table.Source(p.Column)
	switch {
	case !given:
		return r.hasText(of, true)
	case of.Type.OID == types.OIDInt2, of.Type.OID == types.OIDInt4, of.Type.OID == types.OIDInt8:
		return r.padded(p, format)
	case of.Type.OID == types.OIDDate, of.Type.OID == types.OIDTimestamp, of.Type.OID == types.OIDTimestamptz:
		return r.byPattern(p, of, format)
	}
	return r.bad("column %q of type %s takes no format", of.Name, of.Type)
}

// textTypes are the types whose equal values have one text, the same in every session.
var textTypes = []types.OID{
	types.OIDInt2, types.OIDInt4, types.OIDInt8, types.OIDText, types.OIDVarchar, types.OIDBpchar, types.OIDUUID,
	types.OIDDate, types.OIDBool,
}

// hasText wants a column to have one text for each value, without a format. What is hashed takes none.
func (r *Template) hasText(c Source, formattable bool) error {
	if slices.Contains(textTypes, c.Type.OID) {
		return nil
	}
	reason := "it is not a number, a text, a uuid, a date or a bool"
	switch oid := c.Type.OID; {
	case oid == types.OIDNumeric:
		reason = "equal values have several texts, such as 1.0 and 1.00"
	case oid == types.OIDFloat4, oid == types.OIDFloat8:
		reason = "equal values have several texts, such as 0 and -0"
	case oid == types.OIDInterval:
		reason = "equal values have several texts, such as 1 day and 24:00:00"
	case formattable && (oid == types.OIDTimestamp || oid == types.OIDTimestamptz):
		return r.bad("column %q of type %s needs a date pattern, such as {%s:YYYYMMDD}", c.Name, c.Type, c.Name)
	}
	return r.bad("column %q of type %s cannot be written as text: %s", c.Name, c.Type, reason)
}
