package anomaly

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/internal/testseed"
)

// TestAgainstAllOrders makes small random histories, and wants Check to find something in exactly those that no
// serial order of the transactions explains, which it tries all.
func TestAgainstAllOrders(t *testing.T) {
	seed := testseed.Of(t)
	serial, other := 0, 0
	for i := range uint64(3000) {
		history := simulate(rand.New(rand.NewPCG(seed, i)))
		explained := explains(state{}, nil, history)
		found := Forbidden(Check(history))
		if explained == (len(found) > 0) {
			t.Fatalf("-seed %d, %d: a serial order explains it: %v; found: %v\n%v", seed, i, explained, found, history)
		}
		if explained {
			serial++
		} else {
			other++
		}
	}
	if serial < 300 || other < 300 {
		t.Errorf("%d histories are serializable, %d are not: too few of one", serial, other)
	}
}

// content is that of a list.
type content struct {
	values []int
	gone   bool
}

type state map[string]content

func (s state) clone() state {
	out := state{}
	for k, v := range s {
		out[k] = content{slices.Clone(v.values), v.gone}
	}
	return out
}

// apply does an Op, or says that it cannot have been done in this state.
func (s state) apply(op Op) bool {
	at := s[op.Key]
	switch op.Action {
	case Read:
		return at.gone == op.Gone && (at.gone || slices.Equal(at.values, op.List))
	case Below:
		return len(at.values) < op.Value
	case Append:
		s[op.Key] = content{append(slices.Clone(at.values), op.Value), at.gone}
		return !at.gone
	case Delete:
		s[op.Key] = content{gone: true}
		return !at.gone && slices.Equal(at.values, op.List)
	}
	return false
}

// explains says whether the rest of a history can follow in some order, its last transaction as the last.
func explains(s state, done []bool, history []*Transaction) bool {
	if done == nil {
		done = make([]bool, len(history))
	}
	last := true
	for i, x := range history {
		if done[i] || x.Outcome != Committed || i == len(history)-1 && !last {
			continue
		}
		last = false
		next := s.clone()
		if slices.ContainsFunc(x.Ops, func(op Op) bool { return !next.apply(op) }) {
			continue
		}
		done[i] = true
		if explains(next, done, history) {
			return true
		}
		done[i] = false
	}
	return last
}

// simulation is a store without locks: transactions read what is committed, or a snapshot, and write when they
// commit.
type simulation struct {
	*rand.Rand
	committed state
	values    int
}

// running is a transaction of a simulation: what it reads, by which the rest of its operations are made.
type running struct {
	*Transaction
	snapshot state // nil: it reads what is committed
	left     int
}

// simulate makes a history of four transactions, and of one after them that reads everything.
func simulate(r *rand.Rand) (history []*Transaction) {
	s := &simulation{Rand: r, committed: state{}}
	var active []*running
	for i := range 4 {
		x := &running{Transaction: &Transaction{ID: i + 1, Level: Serializable, Ended: 1}, left: 1 + r.IntN(4)}
		active, history = append(active, x), append(history, x.Transaction)
	}
	for len(active) > 0 {
		i := s.IntN(len(active))
		x := active[i]
		if x.snapshot == nil && s.IntN(4) > 0 {
			x.snapshot = s.committed.clone()
		}
		if x.left == 0 {
			s.commit(x.Transaction)
			active = slices.Delete(active, i, i+1)
			continue
		}
		x.left--
		s.step(x)
	}
	last := &Transaction{ID: 5, Level: Serializable, Began: 2, Ended: 3}
	for i := range 3 {
		key := fmt.Sprint("k", i)
		at := s.committed[key]
		op := Op{Key: key, List: at.values, Gone: at.gone}
		if at.gone {
			op.List = nil
		}
		last.Ops = append(last.Ops, op)
	}
	return append(history, last)
}

// step adds an operation to a transaction.
func (s *simulation) step(x *running) {
	seen := s.committed.clone()
	if x.snapshot != nil {
		seen = x.snapshot.clone()
	}
	for _, op := range x.Ops {
		if op.Action == Append || op.Action == Delete {
			seen.apply(op)
		}
	}
	op := Op{Key: fmt.Sprint("k", s.IntN(3)), Predicate: s.IntN(2) == 0}
	at := seen[op.Key]
	switch n := s.IntN(10); {
	case n == 0 && !at.gone:
		op.Action, op.List = Delete, at.values
	case n < 5 && !at.gone:
		s.values++
		op.Action, op.Value = Append, s.values
	case at.gone:
		op.Gone = true
	default:
		op.List = at.values
	}
	x.Ops = append(x.Ops, op)
}

// commit does what a transaction has written, or aborts it where a list was deleted meanwhile.
func (s *simulation) commit(x *Transaction) {
	next := s.committed.clone()
	for _, op := range x.Ops {
		if (op.Action == Append || op.Action == Delete) && next[op.Key].gone {
			x.Outcome = Aborted
			return
		}
		if op.Action == Append || op.Action == Delete {
			next.apply(op)
		}
	}
	s.committed = next
}
