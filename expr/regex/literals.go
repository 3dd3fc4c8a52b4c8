package regex

import "unicode"

// Literals are texts in lower case that every text has in lower case which an expression matches: one at least of each
// list. What they do not say of the expression is not wrong, but less than it says. The idea is Russ Cox's ("Regular
// Expression Matching with a Trigram Index", 2012).
func Literals(pattern string, opt Options) ([][]string, error) {
	root, _, err := parse(pattern, opt)
	if err != nil {
		return nil, err
	}
	return root.literals().lists(), nil
}

// mostAlternatives is how many texts a list has at most, and mostBytes how long they are.
const (
	mostAlternatives = 16
	mostBytes        = 64
)

// literals are what is known of the texts that a node matches: all of them, or what they have in them.
type literals struct {
	exact []string // nil: they are too many
	in    [][]string
}

// nothing matches no character.
func nothing() literals { return literals{exact: []string{""}} }

// lists are what the texts have in them.
func (l literals) lists() [][]string {
	if l.exact == nil {
		return l.in
	}
	return withList(nil, l.exact)
}

// withList adds a list, unless it has an empty text, which is in any.
func withList(lists [][]string, list []string) [][]string {
	for _, s := range list {
		if s == "" {
			return lists
		}
	}
	return append(lists, list)
}

func (n *node) literals() literals {
	switch n.op {
	case opEmpty, opAssert, opLook:
		return nothing()
	case opSet:
		return n.set.literals()
	case opGroup:
		return n.subs[0].literals()
	case opConcat:
		return concatenated(n.subs)
	case opAlt:
		return alternatives(n.subs)
	case opRepeat:
		if n.min > 0 {
			return literals{in: n.subs[0].literals().lists()}
		}
	}
	return literals{}
}

// concatenated goes through nodes one after the other: texts that are all known are joined.
func concatenated(subs []*node) literals {
	current, exact := nothing().exact, true
	var in [][]string
	for _, sub := range subs {
		l := sub.literals()
		if joined := product(current, l.exact); joined != nil {
			current = joined
			continue
		}
		in, exact = withList(in, current), false
		in = append(in, l.in...)
		if current = l.exact; current == nil {
			current = nothing().exact
		}
	}
	if exact {
		return literals{exact: current}
	}
	return literals{in: withList(in, current)}
}

// product is each of some texts with each of others behind it; nil if they are too many, or not known.
func product(a, b []string) (out []string) {
	if len(a)*len(b) > mostAlternatives {
		return nil
	}
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > mostBytes {
				return nil
			}
			out = append(out, x+y)
		}
	}
	return out
}

// alternatives matches what one of the nodes matches.
func alternatives(subs []*node) literals {
	var exact, list []string
	all := true
	for _, sub := range subs {
		l := sub.literals()
		if all = all && l.exact != nil; all {
			exact = append(exact, l.exact...)
		}
		list = append(list, longestOf(l.lists())...)
	}
	if all && len(exact) <= mostAlternatives {
		return literals{exact: exact}
	}
	if len(list) > mostAlternatives {
		return literals{}
	}
	return literals{in: withList(nil, list)}
}

// longestOf is the list whose shortest text is the longest; without lists it is the empty text.
func longestOf(lists [][]string) []string {
	best, length := nothing().exact, 0
	for _, list := range lists {
		least := len(list[0])
		for _, s := range list[1:] {
			least = min(least, len(s))
		}
		if least > length {
			best, length = list, least
		}
	}
	return best
}

// literals are the characters of a small set. In any case both cases of a letter must be the same in lower case.
func (s *set) literals() literals {
	const mostCharacters = 4
	if s.negate || len(s.classes) > 0 {
		return literals{}
	}
	var out []string
	for i := 0; i < len(s.ranges); i += 2 {
		if s.ranges[i+1]-s.ranges[i] >= mostCharacters {
			return literals{}
		}
		for r := s.ranges[i]; r <= s.ranges[i+1]; r++ {
			lower := unicode.ToLower(r)
			if s.fold && unicode.ToLower(unicode.ToUpper(r)) != lower {
				return literals{}
			}
			out = append(out, string(lower))
		}
	}
	if len(out) > mostCharacters {
		return literals{}
	}
	return literals{exact: out}
}
