package analyze

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// commonType is the type that expressions are brought to: unknowns follow the others,
// the first type stays unless it is not preferred and casts to a later one, and a
// modifier stays where all agree on it. It has no collation yet. It tells the first one that does not fit, -1 for none.
func commonType[E Typed](all []E) (t types.T, bad int) {
	t = all[0].Type().In(types.Collation{})
	for i, e := range all {
		next := e.Type().In(types.Collation{})
		switch {
		case next.Same(t):
		case next.OID == types.OIDUnknown:
			t = t.Bare()
		case next.OID == t.OID:
			if t = t.Bare(); next.Number() != t.Number() && t.IsDomain() {
				t = t.Base() // arrays of a domain stay what the first are
			}
		case t.OID == types.OIDUnknown:
			t = next.Bare()
		default:
			wider, ok := Wider(t.OID, next.OID)
			if !ok {
				return t, i
			}
			if t = t.Bare().Base(); wider != t.OID {
				t = next.Bare().Base()
			}
		}
	}
	if t.OID == types.OIDUnknown {
		t = types.Text
	}
	return t, -1
}

// Matched is commonType with its error.
func Matched[E Typed](all []E, what string, pos []ast.Pos) (types.T, error) {
	t, bad := commonType(all)
	if bad >= 0 {
		return t, sqlerr.New(sqlerr.DatatypeMismatch, "%s types %s and %s cannot be matched", what, t.Bare(),
			all[bad].Type().Bare()).At(int(pos[bad]))
	}
	return t, nil
}

// Items brings the items of IN (list) to one type that also serves what is compared with them. It says false where
// there is none.
func (c Coercion[E]) Items(arg E, list []E, pos ast.Pos) (items []E, t types.T, ok bool) {
	all := append([]E{arg}, list...)
	all, t, err := c.Common(all, "IN", slices.Repeat([]ast.Pos{pos}, len(all)))
	if err != nil {
		return nil, t, false
	}
	return all[1:], t, true
}

// Wider is the one of two types of a category that the other is cast to: the first,
// unless it casts to the second and not back.
func Wider(a, b types.OID) (types.OID, bool) {
	x, y := types.InfoOf(a), types.InfoOf(b)
	switch {
	case x.Category != y.Category:
		return 0, false
	case !x.Preferred && Implicitly(a, b) && !Implicitly(b, a):
		return b, true
	}
	return a, true
}

// Ordered says whether the values of a type are compared and sorted.
func Ordered(t types.T) bool {
	if element, ok := types.ElementOf(t); ok {
		return Ordered(element)
	}
	return t.Kind().Ordered() && !types.InfoOf(t.OID).Unordered
}

// Implicitly says whether a value becomes one of a type without a cast that is written.
func Implicitly(from, to types.OID) bool {
	if from == to || from == types.OIDUnknown || to == types.OIDAny || IsPolymorphic(to) {
		return true
	}
	if from == types.OIDRecord && to.IsRow() { // if its fields are
		return true
	}
	c, ok := types.FindCast(from, to)
	return ok && c.Context == types.Implicit
}
