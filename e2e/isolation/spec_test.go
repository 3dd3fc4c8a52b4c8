package isolation

// A spec says what several sessions do and in which orders.
type spec struct {
	setups       []string // each is sent on its own before a permutation
	teardown     string   // SQL after a permutation
	sessions     []sessionSpec
	permutations []permutation // empty: all orders that keep the order within each session
}

// sessionSpec is what one connection does.
type sessionSpec struct {
	name            string
	setup, teardown string
	steps           []step
}

// step is SQL that is sent as one message.
type step struct {
	name    string
	sql     string
	session int // its index
}

// permutation is one order of steps. A step may be missing, or be there more than once.
type permutation []entry

// entry is a step of a permutation. It is not reported as completed before its conditions are met.
type entry struct {
	step
	conditions []condition
}

// condition delays the report that a step has completed.
type condition struct {
	kind    conditionKind
	step    string // another one
	session int    // of that step
	notices int
}

type conditionKind int

const (
	untilLooked  conditionKind = iota // (*): it is reported as waiting once, whether it waits or not
	untilStep                         // the other step is not running
	untilNotices                      // the session of the other step has sent so many notices since the launch
)

// find returns the step of a name.
func (s *spec) find(name string) (step, bool) {
	for _, one := range s.sessions {
		for _, st := range one.steps {
			if st.name == name {
				return st, true
			}
		}
	}
	return step{}, false
}

// orders are the permutations that the spec lists or, without any, at most limit of all interleavings of the sessions,
// and whether there are more.
func (s *spec) orders(limit int) (out []permutation, more bool) {
	if len(s.permutations) > 0 {
		return s.permutations, false
	}
	taken := make([]int, len(s.sessions))
	var extend func(order permutation) bool
	extend = func(order permutation) bool {
		done := true
		for i, one := range s.sessions {
			if taken[i] == len(one.steps) {
				continue
			}
			done = false
			next := append(order[:len(order):len(order)], entry{step: one.steps[taken[i]]})
			taken[i]++
			ok := extend(next)
			if taken[i]--; !ok {
				return false
			}
		}
		if done && len(out) < limit {
			out = append(out, order)
			return true
		}
		return !done
	}
	more = !extend(nil)
	return out, more
}
