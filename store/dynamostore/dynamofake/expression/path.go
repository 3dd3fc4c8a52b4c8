package expression

import (
	"strconv"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// Step goes from a value into it: to a member of a map, or to an element of a list.
type Step struct {
	Name    string
	Index   int
	Element bool
}

// Path is the place of a value in an item. Its first step is an attribute.
type Path []Step

// Find is the value at a path, if there is one.
func (p Path) Find(i attribute.Item) (attribute.Value, bool) {
	v := attribute.Value{Kind: attribute.M, Map: i}
	for _, s := range p {
		switch {
		case s.Element && v.Kind == attribute.L && s.Index < len(v.List):
			v = v.List[s.Index]
		case !s.Element && v.Kind == attribute.M:
			m, ok := v.Map[s.Name]
			if !ok {
				return m, false
			}
			v = m
		default:
			return attribute.Value{}, false
		}
	}
	return v, true
}

// String is the path as DynamoDB shows it in errors.
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.Name
		if s.Element {
			parts[i] = "[" + strconv.Itoa(s.Index) + "]"
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// check finds a pair of paths that must not be in one expression.
func check(paths []Path) error {
	for i, p := range paths {
		for _, q := range paths[:i] {
			if err := clash(q, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// clash says what is wrong with two paths: one is in the other, or they disagree on what a
// value is.
func clash(p, q Path) error {
	for i := range min(len(p), len(q)) {
		switch a, b := p[i], q[i]; {
		case a.Element != b.Element:
			return invalid("Two document paths conflict with each other; must remove or rewrite one of these paths; path one: %s, path two: %s", p, q)
		case a != b:
			return nil
		}
	}
	return invalid("Two document paths overlap with each other; must remove or rewrite one of these paths; path one: %s, path two: %s", p, q)
}

// Project keeps what is at some paths of an item. Elements of a list keep their order, and
// are not where they were.
func Project(i attribute.Item, paths []Path) attribute.Item {
	out := attribute.Item{}
	byName := map[string][]Path{}
	for _, p := range paths {
		byName[p[0].Name] = append(byName[p[0].Name], p[1:])
	}
	for n, rest := range byName {
		if v, ok := i[n]; ok {
			if kept, ok := project(v, rest); ok {
				out[n] = kept
			}
		}
	}
	return out
}

// project keeps what is at some paths of a value, of which an empty one is all of it.
func project(v attribute.Value, paths []Path) (attribute.Value, bool) {
	for _, p := range paths {
		if len(p) == 0 {
			return v, true
		}
	}
	switch v.Kind {
	case attribute.M:
		kept := Project(v.Map, membersOf(paths, false))
		return attribute.Value{Kind: attribute.M, Map: kept}, len(kept) > 0
	case attribute.L:
		byIndex := map[int][]Path{}
		for _, p := range membersOf(paths, true) {
			byIndex[p[0].Index] = append(byIndex[p[0].Index], p[1:])
		}
		out := attribute.Value{Kind: attribute.L}
		for i := range v.List {
			if rest, ok := byIndex[i]; ok {
				if kept, ok := project(v.List[i], rest); ok {
					out.List = append(out.List, kept)
				}
			}
		}
		return out, len(out.List) > 0
	}
	return attribute.Value{}, false
}

func membersOf(paths []Path, elements bool) (out []Path) {
	for _, p := range paths {
		if p[0].Element == elements {
			out = append(out, p)
		}
	}
	return out
}
