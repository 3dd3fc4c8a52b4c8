package regex

import "unicode/utf8"

// maxSteps bounds the work on one text: back references can make it grow without end.
const (
	maxSteps     = 1 << 27
	stepsPerByte = 1 << 10 // of a long one
	stepUnits    = 8       // the work of a step
)

// machine runs automata on one text, all their states at once.
type machine struct {
	text  string
	steps int
	now   threads
	then  threads
	stack []int32
	tick  func(units int) error
	left  *int // states that may still be made
}

// threads are the states that are reached, each with where its match began. The sparse
// set is that of Briggs and Torczon (1993).
type threads struct {
	sparse, dense []int32
	began         []int
}

func (t *threads) reset(size int) {
	if len(t.sparse) < size {
		t.sparse, t.began = make([]int32, size), make([]int, size)
		t.dense = make([]int32, 0, size)
	}
	t.dense = t.dense[:0]
}

func (t *threads) has(s int32) bool {
	i := t.sparse[s]
	return int(i) < len(t.dense) && t.dense[i] == s
}

func (t *threads) put(s int32, began int) {
	t.sparse[s], t.began[s] = int32(len(t.dense)), began
	t.dense = append(t.dense, s)
}

// follow adds a state and all that are reached from it without a character.
func (m *machine) follow(p *program, to *threads, s int32, at, began int) error {
	m.stack = append(m.stack[:0], s)
	for len(m.stack) > 0 {
		s = m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if to.has(s) {
			continue
		}
		to.put(s, began)
		switch in := &p.states[s]; in.kind {
		case fork:
			m.stack = append(m.stack, in.other, in.next)
		case check:
			ok, err := m.checks(in, at)
			if err != nil {
				return err
			}
			if ok {
				m.stack = append(m.stack, in.next)
			}
		}
	}
	return nil
}

// run runs an automaton from a place; with search a match may begin at every later one,
// too. It tells where matches end until told to stop; of two that end at one place the
// one that began first.
func (m *machine) run(p *program, from, limit int, search bool, ends func(began, end int) (more bool)) error {
	m.now.reset(len(p.states))
	m.then.reset(len(p.states))
	if err := m.follow(p, &m.now, p.start(), from, from); err != nil {
		return err
	}
	return m.walk(p, from, limit, search, ends)
}

// walk goes on from the states that were reached at a place.
func (m *machine) walk(p *program, at, limit int, search bool, ends func(began, end int) bool) error {
	for {
		if m.now.has(0) && !ends(m.now.began[0], at) || at >= limit || len(m.now.dense) == 0 {
			return nil
		}
		var err error
		if at, err = m.step(p, at, search); err != nil {
			return err
		}
	}
}

// step takes the states over the character at a place, and says where the next one is.
func (m *machine) step(p *program, at int, search bool) (int, error) {
	if err := m.count(1 + len(m.now.dense)); err != nil {
		return at, err
	}
	r, size := rune(m.text[at]), 1
	if r >= utf8.RuneSelf {
		r, size = utf8.DecodeRuneInString(m.text[at:])
	}
	m.then.dense = m.then.dense[:0]
	for _, s := range m.now.dense {
		if in := &p.states[s]; in.kind == step && in.set.holds(r) {
			if err := m.follow(p, &m.then, in.next, at+size, m.now.began[s]); err != nil {
				return at, err
			}
		}
	}
	at += size
	m.now, m.then = m.then, m.now
	if search {
		return at, m.follow(p, &m.now, p.start(), at, at)
	}
	return at, nil
}

// count counts steps, of which each is the work of several units.
func (m *machine) count(steps int) error {
	const often = 1 << 10
	before := m.steps / often
	if m.steps += steps; m.steps/often == before {
		return nil
	}
	if m.steps > max(maxSteps, stepsPerByte*len(m.text)) {
		return bad("regular expression is too complex")
	}
	return m.tick((m.steps/often - before) * often * stepUnits)
}

// checks says whether a condition holds at a place.
func (m *machine) checks(in *instruction, at int) (bool, error) {
	if in.look != nil {
		return m.looks(in.look, at)
	}
	before, _ := utf8.DecodeLastRuneInString(m.text[:at])
	after, _ := utf8.DecodeRuneInString(m.text[at:])
	wasWord, isWordNow := at > 0 && isWord(before), at < len(m.text) && isWord(after)
	switch in.assert {
	case textStart:
		return at == 0, nil
	case textEnd:
		return at == len(m.text), nil
	case lineStart:
		return at == 0 || before == '\n', nil
	case lineEnd:
		return at == len(m.text) || after == '\n', nil
	case wordStart:
		return !wasWord && isWordNow, nil
	case wordEnd:
		return wasWord && !isWordNow, nil
	case wordBorder:
		return wasWord != isWordNow, nil
	default:
		return wasWord == isWordNow, nil
	}
}

// looks runs the automaton of a condition on what is ahead or behind.
func (m *machine) looks(n *node, at int) (bool, error) {
	sub := n.subs[0]
	if sub.prog == nil {
		if err := m.compile(sub); err != nil {
			return false, err
		}
	}
	inner, found := machine{text: m.text, steps: m.steps, tick: m.tick, left: m.left}, false
	from, limit := at, len(m.text)
	if n.behind {
		from, limit = 0, at
	}
	err := inner.run(sub.prog, from, limit, n.behind, func(_, end int) bool {
		found = !n.behind || end == at
		return !found
	})
	m.steps = inner.steps
	return found != n.negate, err
}
