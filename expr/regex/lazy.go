package regex

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// lazy is an automaton each of whose states stands for a set of those of a program. They are made as texts need them
// (Cox, Regular Expression Matching in the Wild, 2010). It knows where matches end, but not where they began.
type lazy struct {
	p      *program
	search bool // a match may begin at every place
	most   int  // states that may be made
	states map[string]*lazyState
	begins [2]*lazyState // behind the beginning of the text, and there
	now    threads
	sorted []int32
	key    []byte
}

// lazyState is a state of a lazy automaton.
type lazyState struct {
	of        []int32 // the states of the program that are reached
	ends      bool    // a match ends here
	endsAtEnd bool    // the same, if the text ends here
	over      bool    // no match ends behind here
	next      [utf8.RuneSelf]*lazyState
}

const (
	mostLazy = 256 // states of one automaton
	// lazyUnits is how many states of programs one of these counts for.
	lazyUnits = 64
)

// lazyOf is the lazy automaton of a program, nil if it has conditions on what is around a place.
func (m *machine) lazyOf(p *program, search bool) *lazy {
	if p.hard {
		return nil
	}
	of := &p.lazy[0]
	if search {
		of = &p.lazy[1]
	}
	if *of == nil {
		p.hard = slices.ContainsFunc(p.states, func(in instruction) bool {
			return in.kind == check && (in.look != nil || in.assert > textEnd)
		})
		if p.hard {
			return nil
		}
		*of = &lazy{p: p, search: search, most: mostLazy, states: map[string]*lazyState{}}
	}
	return *of
}

// endsOf tells where matches end of which the caller does not want to know where they began: at a place, or with
// search there or behind it. It goes on until told to stop.
func (m *machine) endsOf(p *program, from, limit int, search bool, ends func(end int) (more bool)) error {
	l := m.lazyOf(p, search)
	if l == nil {
		return m.run(p, from, limit, search, func(_, end int) bool { return ends(end) })
	}
	s := l.begin(m, from == 0)
	for at := from; ; {
		if (s.ends || s.endsAtEnd && at == len(m.text)) && !ends(at) || at >= limit || s.over {
			return nil
		}
		if err := m.count(1); err != nil {
			return err
		}
		r, size := rune(m.text[at]), 1
		var next *lazyState
		if r < utf8.RuneSelf {
			next = s.next[r]
		} else {
			r, size = utf8.DecodeRuneInString(m.text[at:])
		}
		if next == nil {
			if next = l.step(m, s, r); next == nil { // there are too many states
				return l.resume(m, s, at, limit, ends)
			}
		}
		s, at = next, at+size
	}
}

// resume goes on by all states of the program at once, from a place whose ends of matches were told.
func (l *lazy) resume(m *machine, s *lazyState, at, limit int, ends func(end int) bool) error {
	m.now.reset(len(l.p.states))
	m.then.reset(len(l.p.states))
	for _, i := range s.of {
		m.now.put(i, at)
	}
	at, err := m.step(l.p, at, l.search)
	if err != nil {
		return err
	}
	return m.walk(l.p, at, limit, l.search, func(_, end int) bool { return ends(end) })
}

// begin is the state in which a match may begin.
func (l *lazy) begin(m *machine, atStart bool) *lazyState {
	of := &l.begins[0]
	if atStart {
		of = &l.begins[1]
	}
	if *of == nil {
		l.now.reset(len(l.p.states))
		l.follow(m, l.p.start(), atStart, false)
		*of = l.state(m, atStart)
	}
	return *of
}

// fails says whether it is known that no match of a text begins here, by its first character.
func (s *lazyState) fails(text string) bool {
	if s.ends || text == "" || text[0] >= utf8.RuneSelf {
		return false
	}
	next := s.next[text[0]]
	return next != nil && next.over && !next.ends && (!next.endsAtEnd || len(text) > 1)
}

// step is the state behind a character, nil if no more may be made.
func (l *lazy) step(m *machine, s *lazyState, r rune) *lazyState {
	l.now.reset(len(l.p.states))
	for _, i := range s.of {
		if in := &l.p.states[i]; in.kind == step && in.set.holds(r) {
			l.follow(m, in.next, false, false)
		}
	}
	if l.search {
		l.follow(m, l.p.start(), false, false)
	}
	next := l.states[string(l.keyOf())]
	if next == nil {
		if len(l.states) >= l.most || *m.left < maxStates/2 { // the rest is for conditions, which are compiled later
			return nil
		}
		next = l.state(m, false)
	}
	if r < utf8.RuneSelf {
		s.next[r] = next
	}
	return next
}

// follow adds a state of the program and all that are reached from it without a character.
func (l *lazy) follow(m *machine, s int32, atStart, atEnd bool) {
	m.stack = append(m.stack[:0], s)
	for len(m.stack) > 0 {
		s = m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if l.now.has(s) {
			continue
		}
		l.now.put(s, 0)
		switch in := &l.p.states[s]; {
		case in.kind == fork:
			m.stack = append(m.stack, in.other, in.next)
		case in.kind == check && (in.assert == textStart && atStart || in.assert == textEnd && atEnd):
			m.stack = append(m.stack, in.next)
		}
	}
}

// keyOf is what tells the set of states from others.
func (l *lazy) keyOf() []byte {
	l.sorted = append(l.sorted[:0], l.now.dense...)
	slices.Sort(l.sorted)
	l.key = l.key[:0]
	for _, s := range l.sorted {
		l.key = binary.LittleEndian.AppendUint32(l.key, uint32(s))
	}
	return l.key
}

// state makes the state of the set that was reached. Those where a text begins are kept apart: what they reach at its
// end may be more.
func (l *lazy) state(m *machine, atStart bool) *lazyState {
	*m.left -= lazyUnits
	s := &lazyState{of: slices.Clone(l.now.dense), ends: l.now.has(0)}
	steps := slices.ContainsFunc(s.of, func(i int32) bool { return l.p.states[i].kind == step })
	if !atStart {
		l.states[string(l.keyOf())] = s
	}
	l.now.reset(len(l.p.states))
	for _, i := range s.of {
		l.follow(m, i, atStart, true)
	}
	s.endsAtEnd = l.now.has(0)
	s.over = !steps && !(l.search && (s.ends || s.endsAtEnd))
	return s
}
