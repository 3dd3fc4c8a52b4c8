// Package regex matches PostgreSQL's advanced regular expressions. Which match is found,
// and which part of it a group captures, are decided as in Henry Spencer's library, which
// PostgreSQL uses: each part of an expression prefers its longest or its shortest match,
// the parts in front before those behind them. What functions of SQL make of a match is not here. Read Compile first.
package regex

// Regexp is a compiled expression. One goroutine uses it at a time.
type Regexp struct {
	root   *node
	groups int
	fold   bool // in any case
	m      machine
	caps   []int
}

// Compile compiles an expression.
func Compile(pattern string, opt Options) (*Regexp, error) {
	root, p, err := parse(pattern, opt)
	if err != nil {
		return nil, err
	}
	re := &Regexp{root: root, groups: p.groups, fold: p.opt.Fold}
	re.m.tick, re.m.left = p.opt.tick, new(int)
	*re.m.left = maxStates
	return re, re.m.compile(root)
}

// States is how many states its automata have together.
func (re *Regexp) States() int { return maxStates - *re.m.left }

// Groups is how many groups capture.
func (re *Regexp) Groups() int { return re.groups }

// Match says whether a text has a match.
func (re *Regexp) Match(text string) (bool, error) {
	if re.root.refers {
		found, err := re.Find(text, 0)
		return found != nil, err
	}
	re.m.text, re.m.steps = text, 0
	found := false
	err := re.m.endsOf(re.root.prog, 0, len(text), true, func(int) bool {
		found = true
		return false
	})
	return found, err
}

// Find finds the first match that begins at a place or behind it: where it and its
// groups begin and end, -1 for a group that has no part in it; nil if there is none.
func (re *Regexp) Find(text string, from int) ([]int, error) {
	re.m.text, re.m.steps = text, 0
	if !re.root.refers {
		began, err := re.begin(from)
		if err != nil || began < 0 {
			return nil, err
		}
		return re.at(began)
	}
	for {
		closes, err := re.closes(from)
		if err != nil || closes < 0 {
			return nil, err
		}
		for from <= closes {
			began, err := re.begin(from)
			if err != nil {
				return nil, err
			}
			if began < 0 || began > closes {
				break
			}
			found, err := re.at(began)
			if err != nil || found != nil {
				return found, err
			}
			from = began + width(text[began:]) // back references did not match
		}
		if from = closes + width(text[closes:]); from >= len(text) {
			return nil, nil // as PostgreSQL, which does not look at the very end after that
		}
	}
}

// closes is where the first of the matches from a place on ends, before back references are looked at; -1 if there
// is none.
func (re *Regexp) closes(from int) (int, error) {
	closes := -1
	err := re.m.endsOf(re.root.prog, from, len(re.m.text), true, func(end int) bool {
		closes = end
		return false
	})
	return closes, err
}

// width is the bytes of the first character, at least one.
func width(s string) int {
	for i := range s {
		if i > 0 {
			return i
		}
	}
	return max(len(s), 1)
}

// begin is where the leftmost match begins, -1 if there is none. A lazy automaton is asked at one place after the
// other, unless that takes too long.
func (re *Regexp) begin(from int) (int, error) {
	p, text := re.root.prog, re.m.text
	l := re.m.lazyOf(p, false)
	if l == nil {
		return re.beginOf(from)
	}
	closes, err := re.closes(from)
	if err != nil || closes < 0 {
		return -1, err
	}
	found, most := false, re.m.steps+8*(len(text)-from)+1<<10
	for at := from; at <= closes && re.m.steps < most; at += width(text[at:]) {
		if l.begin(&re.m, at == 0).fails(text[at:]) {
			continue
		}
		err := re.m.endsOf(p, at, len(text), false, func(int) bool {
			found = true
			return false
		})
		if err != nil || found {
			return at, err
		}
	}
	return re.beginOf(from)
}

// beginOf is begin by all states at once.
func (re *Regexp) beginOf(from int) (int, error) {
	began := -1
	err := re.m.run(re.root.prog, from, len(re.m.text), true, func(start, _ int) bool {
		if began < 0 || start < began {
			began = start
		}
		return began > re.first()
	})
	return began, err
}

// first is where the earliest match that still runs began.
func (re *Regexp) first() int {
	least := len(re.m.text) + 1
	for _, s := range re.m.now.dense {
		least = min(least, re.m.now.began[s])
	}
	return least
}

// at finds the match that begins at a place.
func (re *Regexp) at(began int) ([]int, error) {
	var all []int
	err := re.m.endsOf(re.root.prog, began, len(re.m.text), false, func(end int) bool {
		if len(all) > 0 && !re.root.refers && re.root.prefers != shortest {
			all[0] = end
			return true
		}
		all = append(all, end)
		return re.root.refers || re.root.prefers != shortest
	})
	if err != nil {
		return nil, err
	}
	if re.root.prefers != shortest {
		reverse(all)
	}
	for _, end := range all {
		re.caps = make([]int, 2*re.groups+2)
		for i := range re.caps {
			re.caps[i] = -1
		}
		re.caps[0], re.caps[1] = began, end
		ok, err := re.dissect(re.root, began, end)
		if err != nil || ok {
			return re.caps, err
		}
	}
	return nil, nil
}

func reverse(list []int) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
}
