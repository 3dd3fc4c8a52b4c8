package analyze

import (
	"slices"

	"zproxy/types"
)

// overload chooses among argument lists the one that suits the given types best, as
// PostgreSQL's func_select_candidate does. It says -1 for none, and ambiguous for more
// than one.
func overload(given []types.T, lists [][]types.OID) (best int, ambiguous bool) {
	return choice{lists: lists}.overload(given)
}

// choice is one among argument lists.
type choice struct {
	lists    [][]types.OID
	implicit func(from, to types.OID) bool // the casts of users, nil: there are none
}

func (c choice) overload(given []types.T) (best int, ambiguous bool) {
	left := c.takes(given, nil)
	steps := []func([]types.T, [][]types.OID, []int) []int{mostExact, mostPreferred, byCategory,
		func(given []types.T, _ [][]types.OID, left []int) []int { return c.likeTheKnown(given, left) }}
	for _, narrow := range steps {
		if len(left) <= 1 {
			break
		}
		left = narrow(given, c.lists, left)
	}
	switch len(left) {
	case 0:
		return -1, false
	case 1:
		return left[0], false
	}
	return -1, true
}

// takes are the lists, of all or of those that are left, that can take arguments of the given types.
func (c choice) takes(given []types.T, left []int) (out []int) {
	for i, list := range c.lists {
		if (left == nil || slices.Contains(left, i)) && len(list) == len(given) && c.allCoercible(given, list) &&
			consistent(given, list) {
			out = append(out, i)
		}
	}
	return out
}

func (c choice) allCoercible(given []types.T, list []types.OID) bool {
	for i, t := range given {
		if !Implicitly(t.OID, list[i]) && (c.implicit == nil || !c.implicit(t.OID, list[i])) {
			return false
		}
	}
	return true
}

// most keeps the candidates with the most arguments, of those that are known, that are good.
func most(given []types.T, lists [][]types.OID, left []int, good func(to, from types.OID) bool) (out []int) {
	best := -1
	for _, i := range left {
		n := 0
		for k, t := range given {
			if t.OID != types.OIDUnknown && good(lists[i][k], t.OID) {
				n++
			}
		}
		switch {
		case n > best:
			best, out = n, []int{i}
		case n == best:
			out = append(out, i)
		}
	}
	return out
}

func mostExact(given []types.T, lists [][]types.OID, left []int) []int {
	return most(given, lists, left, func(to, from types.OID) bool { return to == from })
}

func mostPreferred(given []types.T, lists [][]types.OID, left []int) []int {
	return most(given, lists, left, func(to, from types.OID) bool {
		info := types.InfoOf(to)
		return to == from || info.Preferred && info.Category == types.InfoOf(from).Category
	})
}

// byCategory decides what unknown arguments are: text where some candidate takes it,
// else the one category that all candidates agree on, and there the preferred type.
func byCategory(given []types.T, lists [][]types.OID, left []int) []int {
	out := slices.Clone(left)
	for k, t := range given {
		if t.OID != types.OIDUnknown {
			continue
		}
		category, preferred, ok := categoryOf(lists, left, k)
		if !ok {
			return left
		}
		out = slices.DeleteFunc(out, func(i int) bool {
			info := types.InfoOf(lists[i][k])
			return info.Category != category || preferred && !info.Preferred
		})
	}
	if len(out) == 0 {
		return left
	}
	return out
}

// categoryOf is the category that candidates agree on for one argument, and whether one of them takes its preferred
// type. It says false where they do not agree.
func categoryOf(lists [][]types.OID, left []int, k int) (category types.Category, preferred, ok bool) {
	conflict := false
	for _, i := range left {
		info := types.InfoOf(lists[i][k])
		switch {
		case info.Category == category:
			preferred = preferred || info.Preferred
		case category == 0 || info.Category == types.CategoryString:
			category, preferred = info.Category, info.Preferred
		default: // a later one may take text
			conflict = true
		}
	}
	return category, preferred, !conflict || category == types.CategoryString
}

// likeTheKnown takes unknown arguments to be of the type that all known ones have.
func (c choice) likeTheKnown(given []types.T, left []int) []int {
	known := types.Unknown
	for _, t := range given {
		if t.OID == types.OIDUnknown {
			continue
		}
		if known.OID != types.OIDUnknown && known.OID != t.OID {
			return left
		}
		known = t
	}
	if known.OID == types.OIDUnknown {
		return left
	}
	if out := c.takes(slices.Repeat([]types.T{known}, len(given)), left); len(out) == 1 {
		return out
	}
	return left
}

// Alike are the types of the operands of an operator, where an unknown beside another type is taken to be of that.
func Alike(given []types.T) []types.OID {
	out := make([]types.OID, len(given))
	for i, t := range given {
		if out[i] = t.OID; t.OID == types.OIDUnknown {
			out[i] = given[len(given)-1-i].OID
		}
	}
	return out
}
