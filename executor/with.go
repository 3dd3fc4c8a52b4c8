package executor

import (
	"fmt"
	"iter"

	"zproxy/planner/plan"
	"zproxy/types"
)

// with delivers the rows of its input, while Refs of its number read the rows of its query.
func with(f frame, n plan.With) Rows {
	return func(yield func(*types.Batch, error) bool) {
		finish, done := f.common(n)
		defer done()
		for batch, err := range f.input(n.Input, n.Query) {
			if !yield(batch, err) || err != nil {
				return
			}
		}
		if err := finish(); err != nil {
			yield(nil, err)
		}
	}
}

// common lets Refs of a With read the rows of its query, until done is called. A query that writes runs whole when the
// first of them is read, or in finish, behind the input of the With.
func (f frame) common(n plan.With) (finish func() error, done func()) {
	if plan.Target(n.Query) != nil {
		p := &writingPart{frame: f.below(), query: n.Query}
		parts{f}.hideWrites()
		return p.run, f.env.refer(n.Number, p.rows)
	}
	query := newShared(f, plan.Width(n.Query), func() Rows { return f.input(n.Query) })
	forget := f.env.refer(n.Number, query.rows)
	return func() error { return nil }, func() {
		forget()
		query.close()
	}
}

// refer lets Refs of a number read rows, until what it returns is called.
func (e *Env) refer(number int, to func() Rows) func() {
	if e.refs == nil {
		e.refs = map[int]func() Rows{}
	}
	before := e.refs[number]
	e.refs[number] = to
	return func() { e.refs[number] = before }
}

// ref delivers the rows of a With or a Recursion.
func ref(f frame, n plan.Ref) Rows {
	to := f.env.refs[n.Number]
	if to == nil {
		return failed(fmt.Errorf("nothing stands for %q here", n.Name))
	}
	return to()
}

// shared is the rows of a query that has several readers. It runs as far as the one that
// is ahead has come, and keeps what it has delivered.
type shared struct {
	frame
	open func() Rows
	next func() (*types.Batch, error, bool)
	stop func()
	kept []types.Row
	slab slab
	held hold
	end  bool
	err  error
}

func newShared(f frame, width int, open func() Rows) *shared {
	return &shared{frame: f, open: open, slab: slab{width: width}, held: f.hold()}
}

// rows delivers all rows from the first one on.
func (s *shared) rows() Rows {
	return produce(s.frame, s.slab.width, func(out *output) error {
		for at := 0; ; {
			for ; at < len(s.kept); at++ {
				if err := out.append(s.kept[at]); err != nil {
					return err
				}
			}
			if s.end {
				return s.err
			}
			// What is there goes out before more is made: it may be all that is wanted.
			if out.batch.Len() > 0 {
				if err := out.flush(); err != nil {
					return err
				}
				continue
			}
			s.pull()
		}
	})
}

// pull keeps one more batch.
func (s *shared) pull() {
	if s.next == nil {
		s.next, s.stop = iter.Pull2(s.open())
	}
	batch, err, ok := s.next()
	for i := 0; ok && err == nil && i < batch.Len(); i++ {
		s.kept = append(s.kept, s.slab.keep(batch.Row(i)))
		err = s.held.addRow(batch.Row(i))
	}
	if !ok || err != nil {
		s.end, s.err = true, err
	}
}

func (s *shared) close() {
	if s.stop != nil {
		s.stop()
	}
	s.held.release()
}
