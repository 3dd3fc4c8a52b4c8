package deparse

import (
	"slices"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// candidate is a function or an operator that a call may mean, with the types of as many
// arguments as the call gives.
type candidate struct {
	args  []types.OID
	proc  *expr.Proc
	op    *expr.OperatorRow
	items bool // the last arguments are items of its array
}

func isPolymorphic(oid types.OID) bool {
	switch oid {
	case types.OIDAnyElement, types.OIDAnyArray, types.OIDAnyNonArray, types.OIDAnyCompatible, types.OIDAnyCompatibleArray:
		return true
	}
	return false
}

// matches says whether a candidate can take arguments.
func (c *candidate) matches(given []types.OID) bool {
	for i, t := range given {
		if !canCoerce(t, c.args[i]) {
			return false
		}
	}
	_, _, err := resolve(c.args, given, types.OIDBool)
	return err == nil
}

// resolve puts types in the place of the polymorphic ones.
func resolve(declared, given []types.OID, result types.OID) ([]types.OID, types.OID, error) {
	element, common := types.OIDUnknown, []types.OID{}
	bad := sqlerr.New(sqlerr.DatatypeMismatch, "could not determine polymorphic type")
	for i, d := range declared {
		t := given[i]
		switch d {
		case types.OIDAnyArray, types.OIDAnyCompatibleArray:
			if t != types.OIDUnknown {
				if t = types.InfoOf(t).Element; t == 0 {
					return nil, 0, bad
				}
			}
		case types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyCompatible:
		default:
			continue
		}
		switch {
		case t == types.OIDUnknown:
		case d == types.OIDAnyCompatible || d == types.OIDAnyCompatibleArray:
			common = append(common, t)
		case element == types.OIDUnknown:
			element = t
		case element != t:
			return nil, 0, bad
		}
	}
	compatible := types.OIDText
	for i, t := range common {
		if i == 0 || canCoerce(compatible, t) && !canCoerce(t, compatible) {
			compatible = t
		}
	}
	for _, t := range common {
		if !canCoerce(t, compatible) {
			return nil, 0, bad
		}
	}
	out := slices.Clone(declared)
	for i := range out {
		out[i] = substitute(out[i], element, compatible)
	}
	return out, substitute(result, element, compatible), nil
}

func substitute(t, element, compatible types.OID) types.OID {
	switch t {
	case types.OIDAnyElement, types.OIDAnyNonArray:
		return element
	case types.OIDAnyArray:
		return types.InfoOf(element).Array
	case types.OIDAnyCompatible:
		return compatible
	case types.OIDAnyCompatibleArray:
		return types.InfoOf(compatible).Array
	}
	return t
}

// choose is func_select_candidate after func_match_argtypes.
func choose(all []candidate, given []types.OID) (*candidate, bool) {
	var fit []candidate
	for _, c := range all {
		if c.matches(given) {
			fit = append(fit, c)
		}
	}
	if len(fit) > 1 {
		fit = best(fit, given, func(_ int, t, g types.OID) bool { return t == g })
	}
	if len(fit) > 1 {
		fit = best(fit, given, func(_ int, t, g types.OID) bool {
			info := types.InfoOf(t)
			return t == g || info.Preferred && info.Category == types.InfoOf(g).Category
		})
	}
	if len(fit) > 1 && slices.Contains(given, types.OIDUnknown) {
		fit = byCategory(fit, given)
	}
	if len(fit) > 1 {
		fit = asKnown(fit, given)
	}
	if len(fit) != 1 {
		return nil, false
	}
	return &fit[0], true
}

// best keeps the candidates with the most arguments, of those that are known, that are good.
func best(all []candidate, given []types.OID, good func(i int, t, g types.OID) bool) []candidate {
	most, out := -1, []candidate(nil)
	for _, c := range all {
		n := 0
		for i, g := range given {
			if g != types.OIDUnknown && good(i, c.args[i], g) {
				n++
			}
		}
		switch {
		case n > most:
			most, out = n, []candidate{c}
		case n == most:
			out = append(out, c)
		}
	}
	return out
}

// byCategory gives each unknown argument the category that the candidates agree on, or that
// of strings.
func byCategory(all []candidate, given []types.OID) []candidate {
	out := slices.Clone(all)
	for i, g := range given {
		if g != types.OIDUnknown {
			continue
		}
		category, preferred := types.Category(0), false
		for _, c := range all {
			info := types.InfoOf(c.args[i])
			switch {
			case category == 0:
				category, preferred = info.Category, info.Preferred
			case info.Category == category:
				preferred = preferred || info.Preferred
			case info.Category == types.CategoryString:
				category, preferred = info.Category, info.Preferred
			case category != types.CategoryString:
				return all
			}
		}
		out = slices.DeleteFunc(out, func(c candidate) bool {
			info := types.InfoOf(c.args[i])
			return info.Category != category || preferred && !info.Preferred
		})
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// asKnown takes unknown arguments to be of the type that all others have.
func asKnown(all []candidate, given []types.OID) []candidate {
	known := types.OIDUnknown
	for _, g := range given {
		if g != types.OIDUnknown && known != types.OIDUnknown && g != known {
			return all
		}
		if g != types.OIDUnknown {
			known = g
		}
	}
	if known == types.OIDUnknown || !slices.Contains(given, types.OIDUnknown) {
		return all
	}
	same := slices.Repeat([]types.OID{known}, len(given))
	var out []candidate
	for _, c := range all {
		if c.matches(same) {
			out = append(out, c)
		}
	}
	return out
}

// operator finds the operator that a sign means between operands; left is 0 before one.
func operator(sign string, left, right types.OID) (*expr.OperatorRow, error) {
	x, y := left, right
	switch {
	case left == types.OIDUnknown && right != 0:
		x = right
	case right == types.OIDUnknown && left != 0:
		y = left
	}
	var all []candidate
	for _, o := range expr.OperatorsNamed(sign) {
		switch {
		case o.Left == x && o.Right == y:
			return o, nil
		case (o.Left == 0) != (left == 0):
		case left == 0:
			all = append(all, candidate{args: []types.OID{o.Right}, op: o})
		default:
			all = append(all, candidate{args: []types.OID{o.Left, o.Right}, op: o})
		}
	}
	given := []types.OID{left, right}
	if left == 0 {
		given = given[1:]
	}
	if c, ok := choose(all, given); ok {
		return c.op, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s %s %s", types.Of(left), sign, types.Of(right))
}
