package analyze

import (
	"slices"

	"zproxy/sqlerr"
	"zproxy/types"
)

// Signature is the types of the arguments that a call gives, in its order, and of its
// result. Polymorphic types stand for what the arguments make of them: anyelement and
// anyarray for one type and its array, anycompatible and anycompatiblearray for one that
// all arguments cast to.
type Signature struct {
	Args   []types.OID
	Result types.OID
}

// The polymorphic types that hold together.
var (
	exactFamily = family{
		element: types.OIDAnyElement, array: types.OIDAnyArray, span: types.OIDAnyRange, spans: types.OIDAnyMultirange,
	}
	compatibleFamily = family{element: types.OIDAnyCompatible, array: types.OIDAnyCompatibleArray}
)

// family is the types for one type of elements: itself, its arrays, ranges over it and multiranges.
type family struct{ element, array, span, spans types.OID }

// member is what a declared type is in a family: its element, its array or nothing.
func (f family) member(oid types.OID) types.OID {
	if oid == types.OIDAnyNonArray || oid == types.OIDAnyEnum {
		oid = types.OIDAnyElement
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

// elements are the element types that the arguments of one family speak for; unknown
// where they say nothing. It says false when an argument for an array is none.
func (f family) elements(given, declared []types.OID) (out []types.OID, ok bool) {
	for i, t := range given {
		switch member := f.member(declared[i]); {
		case member == types.OIDInvalid:
			continue
		case t == types.OIDUnknown || member == f.element:
		case member == f.span || member == f.spans:
			r := types.RangeTypeOf(t)
			if r == nil || (member == f.span) != (t == r.OID) {
				return nil, false
			}
			t = r.Subtype.OID
		default:
			if t = types.InfoOf(t).Element; t == types.OIDInvalid {
				return nil, false
			}
		}
		out = append(out, t)
	}
	return out, true
}

// consistent says whether arguments can be what polymorphic types stand for together.
func consistent(given, declared []types.OID) bool {
	exact, ok := exactFamily.elements(given, declared)
	if !ok {
		return false
	}
	one := types.OIDUnknown
	for _, t := range exact {
		switch {
		case t == types.OIDUnknown:
		case one == types.OIDUnknown:
			one = t
		case one != t:
			return false
		}
	}
	if slices.Contains(declared, types.OIDAnyNonArray) && types.InfoOf(one).Element != types.OIDInvalid {
		return false
	}
	if slices.Contains(declared, types.OIDAnyEnum) && !one.IsEnum() {
		return false
	}
	if _, ok := rangeOf(given, declared); !ok {
		return false
	}
	compatible, ok := compatibleFamily.elements(given, declared)
	if !ok {
		return false
	}
	_, ok = commonOID(compatible)
	return ok
}

// rangeOf is the one type of ranges that the arguments speak for, nil for none. It says false where there are two.
func rangeOf(given, declared []types.OID) (found *types.RangeType, ok bool) {
	for i, t := range given {
		if declared[i] != types.OIDAnyRange && declared[i] != types.OIDAnyMultirange || t == types.OIDUnknown {
			continue
		}
		r := types.RangeTypeOf(t)
		if found != nil && r != found {
			return nil, false
		}
		found = r
	}
	return found, true
}

// commonOID is the type that all others cast to implicitly; unknown when all are.
func commonOID(all []types.OID) (types.OID, bool) {
	common := types.OIDUnknown
	for _, t := range all {
		switch {
		case t == types.OIDUnknown || t == common:
		case common == types.OIDUnknown:
			common = t
		default:
			wider, ok := Wider(common, t)
			if !ok {
				return 0, false
			}
			common = wider
		}
	}
	for _, t := range all {
		if !Implicitly(t, common) {
			return 0, false
		}
	}
	return common, true
}

// Resolve puts types in the place of the polymorphic ones. The arguments must be
// consistent.
func (s Signature) Resolve(given []types.OID) (Signature, error) {
	exact, _ := exactFamily.elements(given, s.Args)
	compatible, _ := compatibleFamily.elements(given, s.Args)
	element, _ := commonOID(exact)
	common, _ := commonOID(compatible)
	if common == types.OIDUnknown {
		common = types.OIDText
	}
	out := Signature{Args: slices.Clone(s.Args)}
	var err error
	span, _ := rangeOf(given, s.Args)
	for i, t := range s.Args {
		if out.Args[i], err = substitute(t, element, common, span); err != nil {
			return out, err
		}
	}
	out.Result, err = substitute(s.Result, element, common, span)
	return out, err
}

// substitute is what one declared type stands for.
func substitute(declared, element, common types.OID, span *types.RangeType) (types.OID, error) {
	if exactFamily.member(declared) != types.OIDInvalid && element == types.OIDUnknown {
		return 0, sqlerr.New(sqlerr.DatatypeMismatch,
			"could not determine polymorphic type because input has type unknown")
	}
	if span == nil && (declared == types.OIDAnyRange || declared == types.OIDAnyMultirange) {
		return 0, sqlerr.New(sqlerr.DatatypeMismatch,
			"could not determine polymorphic type %s because input has type unknown", types.InfoOf(declared).Name)
	}
	switch declared {
	case types.OIDAnyRange:
		return span.OID, nil
	case types.OIDAnyMultirange:
		return span.Multirange, nil
	case types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyEnum:
		return element, nil
	case types.OIDAnyCompatible:
		return common, nil
	case types.OIDAnyArray:
		return arrayOver(element)
	case types.OIDAnyCompatibleArray:
		return arrayOver(common)
	}
	return declared, nil
}

func arrayOver(element types.OID) (types.OID, error) {
	if array := types.InfoOf(element).Array; array != types.OIDInvalid {
		return array, nil
	}
	return 0, sqlerr.New(sqlerr.UndefinedObject, "could not find array type for data type %s", types.Of(element))
}
