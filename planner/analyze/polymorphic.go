package analyze

import (
	"slices"

	"zproxy/sqlerr"
	"zproxy/types"
)

// Signature is the types of the arguments that a call gives, in its order, and of its
// result. Polymorphic types stand for what the arguments make of them: anyelement, anyarray, anyrange and anymultirange
// for one type, its array and the ranges over it, anycompatible and its like for one that all arguments cast to.
type Signature struct {
	Args   []types.OID
	Result types.OID
}

// The polymorphic types that hold together.
var (
	exactFamily = family{
		element: types.OIDAnyElement, array: types.OIDAnyArray, span: types.OIDAnyRange, spans: types.OIDAnyMultirange,
	}
	compatibleFamily = family{
		element: types.OIDAnyCompatible, array: types.OIDAnyCompatibleArray, span: types.OIDAnyCompatibleRange,
		spans: types.OIDAnyCompatibleMultirange,
	}
)

// family is the types for one type of elements: itself, its arrays, ranges over it and multiranges.
type family struct{ element, array, span, spans types.OID }

// member is what a declared type is in a family: its element, its array or nothing.
func (f family) member(oid types.OID) types.OID {
	switch oid {
	case types.OIDAnyNonArray, types.OIDAnyEnum:
		oid = types.OIDAnyElement
	case types.OIDAnyCompatibleNonArray:
		oid = types.OIDAnyCompatible
	}
	switch oid {
	case f.element, f.array, f.span, f.spans:
		return oid
	}
	return types.OIDInvalid
}

// IsPolymorphic says whether a type stands for what the arguments of a call make of it.
func IsPolymorphic(oid types.OID) bool {
	return exactFamily.member(oid) != types.OIDInvalid || compatibleFamily.member(oid) != types.OIDInvalid
}

// elements are the element types that the arguments of one family speak for, perhaps domains; unknown
// where they say nothing. It says false when an argument for an array or a range is none.
func (f family) elements(given []types.T, declared []types.OID) (out []types.T, ok bool) {
	for i, t := range given {
		switch member := f.member(declared[i]); {
		case member == types.OIDInvalid:
			continue
		case t.OID == types.OIDUnknown || member == f.element:
		case member == f.span || member == f.spans:
			r := t.Range()
			if r == nil || (member == f.span) != (t.OID == r.OID) {
				return nil, false
			}
			t = r.Subtype
		default:
			if t, ok = types.ElementOf(t); !ok {
				return nil, false
			}
		}
		out = append(out, t)
	}
	return out, true
}

// rangeOf is the one type of ranges that the arguments of a family speak for, nil for none. It says false where there
// are two.
func (f family) rangeOf(given []types.T, declared []types.OID) (found *types.RangeType, ok bool) {
	for i, t := range given {
		if declared[i] != f.span && declared[i] != f.spans || t.OID == types.OIDUnknown {
			continue
		}
		r := t.Range()
		if found != nil && r.OID != found.OID {
			return nil, false
		}
		found = r
	}
	return found, true
}

// consistent says whether arguments can be what polymorphic types stand for together.
func consistent(given []types.T, declared []types.OID) bool {
	exact, ok := exactFamily.elements(given, declared)
	if !ok {
		return false
	}
	one, ok := same(exact)
	isArray := func(t types.T) bool { return types.InfoOf(t.OID).Element != types.OIDInvalid }
	if !ok || slices.Contains(declared, types.OIDAnyNonArray) && isArray(one) {
		return false
	}
	if slices.Contains(declared, types.OIDAnyEnum) && !one.Number().IsEnum() {
		return false
	}
	if _, ok := exactFamily.rangeOf(given, declared); !ok {
		return false
	}
	compatible, ok := compatibleFamily.elements(given, declared)
	if !ok {
		return false
	}
	common, ok := commonOf(compatible)
	if !ok || slices.Contains(declared, types.OIDAnyCompatibleNonArray) && isArray(common) {
		return false
	}
	span, ok := compatibleFamily.rangeOf(given, declared)
	return ok && (span == nil || span.Subtype.OID == common.OID)
}

// same is the one type that all are but those that are unknown. It says false where there are several.
func same(all []types.T) (one types.T, ok bool) {
	one = types.Of(types.OIDUnknown)
	for _, t := range all {
		switch {
		case t.OID == types.OIDUnknown:
		case one.OID == types.OIDUnknown:
			one = t
		case one.Number() != t.Number():
			return one, false
		}
	}
	return one, true
}

// commonOf is the type that all others cast to implicitly; unknown when all are. Where domains differ, or are not
// all, what they are over counts.
func commonOf(all []types.T) (types.T, bool) {
	if one, ok := same(all); ok {
		return one, true
	}
	common := types.OIDUnknown
	for _, t := range all {
		switch {
		case t.OID == types.OIDUnknown || t.OID == common:
		case common == types.OIDUnknown:
			common = t.OID
		default:
			wider, ok := Wider(common, t.OID)
			if !ok {
				return types.T{}, false
			}
			common = wider
		}
	}
	for _, t := range all {
		if !Implicitly(t.OID, common) {
			return types.T{}, false
		}
	}
	return types.Of(common), true
}

// meaning is what the types of one family stand for.
type meaning struct {
	element types.T
	span    *types.RangeType // nil: it is not known
}

func (f family) meaning(given []types.T, declared []types.OID) meaning {
	list, _ := f.elements(given, declared)
	element, _ := commonOf(list)
	span, _ := f.rangeOf(given, declared)
	return meaning{element, span}
}

// Resolve puts types in the place of the polymorphic ones. The arguments must be
// consistent.
func (s Signature) Resolve(given []types.T) (Signature, error) {
	exact, common := exactFamily.meaning(given, s.Args), compatibleFamily.meaning(given, s.Args)
	if common.element.OID == types.OIDUnknown {
		common.element = types.Text
	}
	out := Signature{Args: slices.Clone(s.Args)}
	var err error
	for i, t := range s.Args {
		if out.Args[i], err = substitute(t, exact, common); err != nil {
			return out, err
		}
	}
	out.Result, err = substitute(s.Result, exact, common)
	return out, err
}

// substitute is what one declared type stands for.
func substitute(declared types.OID, exact, common meaning) (types.OID, error) {
	of, member := common, compatibleFamily.member(declared)
	if exactFamily.member(declared) != types.OIDInvalid {
		if of, member = exact, exactFamily.member(declared); of.element.OID == types.OIDUnknown {
			return 0, sqlerr.New(sqlerr.DatatypeMismatch,
				"could not determine polymorphic type because input has type unknown")
		}
	}
	switch member {
	case types.OIDAnyRange, types.OIDAnyMultirange, types.OIDAnyCompatibleRange, types.OIDAnyCompatibleMultirange:
		if of.span == nil {
			return 0, sqlerr.New(sqlerr.DatatypeMismatch,
				"could not determine polymorphic type %s because input has type unknown", types.InfoOf(declared).Name)
		}
		if member == types.OIDAnyRange || member == types.OIDAnyCompatibleRange {
			return of.span.OID, nil
		}
		return of.span.Multirange, nil
	case types.OIDAnyElement, types.OIDAnyCompatible:
		return of.element.Number(), nil
	case types.OIDAnyArray, types.OIDAnyCompatibleArray:
		return arrayOver(of.element)
	}
	return declared, nil
}

func arrayOver(element types.T) (types.OID, error) {
	if array, ok := types.ArrayOf(element.Bare()); ok {
		return array.Number(), nil
	}
	return 0, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", element.Bare())
}
