package regex

// instruction is a state of the automaton that a node is compiled to (Thompson 1968).
type instruction struct {
	kind   instructionKind
	set    *set
	assert assertion
	look   *node
	next   int32
	other  int32 // of a fork
}

type instructionKind uint8

const (
	accept instructionKind = iota
	step                   // over one character of set
	fork
	check // of an assertion or of a look
)

// maxProgram bounds the states of an automaton, since repetitions multiply.
const maxProgram = 1 << 17

// maxStates bounds those of all automata of an expression, since there is one for each part that
// a match is taken apart by.
const maxStates = 1 << 19

// stateUnits is the work of making one state.
const stateUnits = 32

// program is an automaton. It begins at its last state.
type program struct {
	states []instruction
	free   int      // how many back references the part is in that is added; a group's assertions are not theirs
	lazy   [2]*lazy // at a place, and from a place on; nil: there is none yet
	hard   bool     // there can be none
}

func (p *program) start() int32 { return int32(len(p.states) - 1) }

// compile makes the automaton of a node, and of those that a match is taken apart by. A
// back reference is taken for what its group can match; the text decides later.
func (m *machine) compile(n *node) error {
	p := &program{states: []instruction{{kind: accept}}}
	at := p.add(n, 0)
	if *m.left -= len(p.states); len(p.states) > maxProgram || *m.left < 0 {
		return bad("regular expression is too complex")
	}
	if err := m.tick(len(p.states) * stateUnits); err != nil {
		return err
	}
	if at != p.start() { // a state that only leads there
		p.put(instruction{kind: fork, next: at, other: at})
	}
	n.prog = p
	if !n.captures && !n.refers {
		return nil
	}
	for _, sub := range n.subs {
		if sub.prog == nil {
			if err := m.compile(sub); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *program) put(i instruction) int32 {
	p.states = append(p.states, i)
	return p.start()
}

// add puts the states of a node before the state next, and says where they begin.
func (p *program) add(n *node, next int32) int32 {
	if len(p.states) > maxProgram {
		return next
	}
	switch n.op {
	case opSet:
		return p.put(instruction{kind: step, set: n.set, next: next})
	case opConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = p.add(n.subs[i], next)
		}
		return next
	case opAlt:
		at := p.add(n.subs[0], next)
		for _, sub := range n.subs[1:] {
			at = p.put(instruction{kind: fork, next: at, other: p.add(sub, next)})
		}
		return at
	case opRepeat:
		return p.repeat(n.subs[0], n.min, n.max, next)
	case opBackref:
		p.free++
		next = p.repeat(n.subs[0], n.min, n.max, next)
		p.free--
		return next
	case opGroup:
		return p.add(n.subs[0], next)
	case opAssert, opLook:
		if p.free > 0 {
			return next
		}
		return p.put(instruction{kind: check, assert: n.assert, look: n.asLook(), next: next})
	}
	return next
}

func (p *program) repeat(n *node, least, most int, next int32) int32 {
	if most == infinite {
		loop := p.put(instruction{kind: fork, other: next})
		p.states[loop].next = loop // until the body is known
		body := p.add(n, loop)
		p.states[loop].next = body
		next = loop
	}
	for range most - least {
		next = p.put(instruction{kind: fork, next: p.add(n, next), other: next})
	}
	for range least {
		next = p.add(n, next)
	}
	return next
}

// asLook is a node that looks ahead or back; nil: it is another one.
func (n *node) asLook() *node {
	if n.op == opLook {
		return n
	}
	return nil
}
