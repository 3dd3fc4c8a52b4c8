package regex

import "strings"

// ends are the places at which matches of a node that begin at a place end, the
// preferred ones first.
func (re *Regexp) ends(n *node, from, limit int) ([]int, error) {
	var all []int
	err := re.m.endsOf(n.prog, from, limit, false, func(end int) bool {
		all = append(all, end)
		return true
	})
	if n.prefers != shortest {
		reverse(all)
	}
	return all, err
}

// fits says whether a node matches exactly what is between two places.
func (re *Regexp) fits(n *node, from, to int) (ok bool, err error) {
	err = re.m.endsOf(n.prog, from, to, false, func(end int) bool {
		ok = end == to
		return !ok
	})
	return ok, err
}

// dissect finds out what the groups of a node capture of a text that its automaton
// matches. It says false when a back reference does not match; the groups of the node then capture nothing.
func (re *Regexp) dissect(n *node, from, to int) (bool, error) {
	if !n.captures && !n.refers {
		return true, nil
	}
	switch n.op {
	case opConcat:
		return re.dissectConcat(n, from, to)
	case opAlt:
		for _, sub := range n.subs {
			ok, err := re.fits(sub, from, to)
			if err == nil && ok {
				ok, err = re.dissect(sub, from, to)
			}
			if err != nil || ok {
				return ok, err
			}
		}
		return false, nil
	case opGroup:
		ok, err := re.dissect(n.subs[0], from, to)
		if ok {
			re.caps[2*n.group], re.caps[2*n.group+1] = from, to
		}
		return ok, err
	case opBackref:
		return re.refersTo(n, from, to), nil
	case opRepeat:
		return re.dissectRepeat(n, from, to)
	}
	return true, nil
}

func (re *Regexp) dissectConcat(n *node, from, to int) (bool, error) {
	left, right := n.subs[0], n.subs[1]
	middles, err := re.ends(left, from, to)
	if err != nil {
		return false, err
	}
	for _, middle := range middles {
		ok, err := re.fits(right, middle, to)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if ok, err = re.dissect(left, from, middle); err == nil && ok {
			ok, err = re.dissect(right, middle, to)
		}
		if err != nil || ok {
			return ok, err
		}
		re.forget(left)
	}
	return false, nil
}

// dissectRepeat takes no repetition for an empty text where one would do if the shortest
// is wanted of it, and otherwise only where one does not match.
func (re *Regexp) dissectRepeat(n *node, from, to int) (bool, error) {
	none := n.min == 0 && from == to
	if none && n.subs[0].prefers == shortest {
		return true, nil
	}
	ok, err := re.iterate(n, 1, from, to)
	return ok || none && err == nil, err
}

// iterate takes apart the k-th and later repetitions. Empty ones are only for what is
// missing to the least number, before the last one, which alone ends where all do.
func (re *Regexp) iterate(n *node, k, from, to int) (bool, error) {
	sub := n.subs[0]
	ends, err := re.ends(sub, from, to)
	if err != nil {
		return false, err
	}
	for _, end := range ends {
		least, last := max(n.min, 1), end == to
		switch {
		case last && k < least, !last && n.max != infinite && k >= n.max:
			continue
		case !last && end == from && (k >= least || least-k < to-end):
			continue
		}
		re.forget(sub) // only the last repetition captures
		ok, err := re.dissect(sub, from, end)
		if err == nil && ok && !last {
			ok, err = re.iterate(n, k+1, end, to)
		}
		if err != nil || ok {
			return ok, err
		}
		re.forget(sub)
	}
	return false, nil
}

// forget takes back what the groups of a node have captured.
func (re *Regexp) forget(n *node) {
	if !n.captures {
		return
	}
	if n.op == opGroup {
		re.caps[2*n.group], re.caps[2*n.group+1] = -1, -1
	}
	for _, sub := range n.subs {
		re.forget(sub)
	}
}

// refersTo says whether a text is what a group has captured, as often as the back
// reference says.
func (re *Regexp) refersTo(n *node, from, to int) bool {
	start, end := re.caps[2*n.group], re.caps[2*n.group+1]
	if start < 0 {
		return false
	}
	captured, rest := re.m.text[start:end], re.m.text[from:to]
	if captured == "" || rest == "" {
		return rest == "" && (captured == "" || n.min == 0)
	}
	count := 0
	for ; rest != ""; count++ {
		if len(rest) < len(captured) || !re.same(rest[:len(captured)], captured) {
			return false
		}
		rest = rest[len(captured):]
	}
	return count >= n.min && (n.max == infinite || count <= n.max)
}

func (re *Regexp) same(a, b string) bool {
	return a == b || re.fold && strings.EqualFold(a, b)
}
