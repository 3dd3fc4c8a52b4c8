package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// sortedGroups delivers groups whose rows come one after the other, once the batch has been read in which the next one
// begins: no more than the groups of a batch are kept.
func sortedGroups(f frame, n plan.Aggregate) Rows {
	return produce(f, len(n.Groups)+len(n.Calls), func(out *output) error {
		keys := len(n.Keys())
		s := &groupStream{output: out, plan: n, held: f.hold(), by: make([]plan.SortKey, keys),
			key: make(types.Row, keys), newest: make(types.Row, keys), last: make(types.Row, keys),
			tail: types.NewBatch(plan.Width(n.Input))}
		defer f.keptAtMost(&s.held)
		for batch, err := range f.input(n.Input) {
			if err == nil {
				err = f.canceled()
			}
			if err == nil {
				err = s.add(batch)
			}
			if err != nil {
				return err
			}
		}
		return s.end()
	})
}

// groupStream gathers groups whose rows come one after the other.
type groupStream struct {
	*output
	plan   plan.Aggregate
	by     []plan.SortKey
	groups *grouper // those at hand; nil: there are none
	held   hold
	last   types.Row // the key of the last row
	tail   *types.Batch

	key, newest types.Row
}

// add adds rows. The groups that end among them come out.
func (s *groupStream) add(batch *types.Batch) error {
	at, err := s.lastBegin(batch)
	if err != nil {
		return err
	}
	if at < 0 {
		return s.gather(batch)
	}
	s.tail.Reset(batch.Width())
	for i := at; i < batch.Len(); i++ {
		s.tail.Append(batch.Row(i))
	}
	batch.Truncate(at)
	if err := s.gather(batch); err != nil {
		return err
	}
	if err := s.end(); err != nil {
		return err
	}
	if s.batch.Len() > 0 { // it may be all that is wanted
		if err := s.flush(); err != nil {
			return err
		}
	}
	return s.gather(s.tail)
}

// lastBegin is the first row of the group that is the last to begin in a batch; negative: none begins.
func (s *groupStream) lastBegin(batch *types.Batch) (int, error) {
	if batch.Len() == 0 {
		return -1, nil
	}
	keys := s.plan.Keys()
	if err := evaluate(s.newest, keys, s.env.Expr, batch.Row(batch.Len()-1)); err != nil {
		return 0, err
	}
	begins := s.groups == nil || compareKeys(s.by, s.newest, s.last) != 0
	copy(s.last, s.newest)
	if !begins {
		return -1, nil
	}
	for i := batch.Len() - 2; i >= 0; i-- {
		if err := evaluate(s.key, keys, s.env.Expr, batch.Row(i)); err != nil {
			return 0, err
		}
		if compareKeys(s.by, s.key, s.newest) != 0 {
			return i + 1, nil
		}
	}
	return 0, nil
}

// gather adds rows to their groups.
func (s *groupStream) gather(batch *types.Batch) error {
	if batch.Len() == 0 {
		return nil
	}
	if s.groups == nil {
		s.groups = newGrouper(s.frame, s.plan, &s.held)
	}
	return s.groups.add(batch)
}

// end delivers the groups at hand, to which no more rows belong.
func (s *groupStream) end() error {
	if s.groups == nil {
		return nil
	}
	err := s.groups.deliver(s.output)
	s.groups = nil
	p := s.profile()
	p.Memory = max(p.Memory, s.held.bytes)
	s.held.release()
	return err
}
