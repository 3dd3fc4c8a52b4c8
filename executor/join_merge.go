package executor

import (
	"iter"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// merge joins two inputs that both come in the order of the keys of the join: of the right one it keeps the rows with
// the present key, and no others.
func (j *joiner) merge() error {
	m := newMergeJoin(j)
	defer m.group.held.release()
	next, stop := iter.Pull2(j.input(j.Right, j.Left))
	defer stop()
	m.next = next
	err := j.each(j.input(j.Left), m.row)
	if err == errEnough {
		err = nil
	}
	if err != nil || !j.keepsRight() {
		return err
	}
	if err := m.endGroup(); err != nil {
		return err
	}
	for {
		if ok, err := m.foremost(); err != nil || !ok {
			return err
		}
		if err := m.rightDone(m.batch.Row(m.at)); err != nil {
			return err
		}
		m.at++
	}
}

// mergeJoin is one run of a join of inputs in order.
type mergeJoin struct {
	*joiner
	asks, keys []expr.Expr // of left rows, and of right ones
	by         []plan.SortKey
	next       func() (*types.Batch, error, bool)
	batch      *types.Batch // of right rows
	at         int          // the foremost of them
	ended      bool
	ask, key   types.Row // the keys of the present left row, and of the foremost right one
	group      mergeGroup
}

// mergeGroup is the right rows with one key.
type mergeGroup struct {
	there  bool
	key    types.Row
	width  int
	count  int
	values []types.Value // of the rows, one behind the other
	met    []bool        // of the rows; none: that is not asked for
	held   hold
}

func newMergeJoin(j *joiner) *mergeJoin {
	m := &mergeJoin{joiner: j}
	for _, k := range j.Method.Keys {
		m.asks, m.keys = append(m.asks, k.Left), append(m.keys, k.Right)
	}
	n := len(m.keys)
	m.by, m.ask, m.key = make([]plan.SortKey, n), make(types.Row, n), make(types.Row, n)
	m.group = mergeGroup{key: make(types.Row, n), width: j.right, held: j.hold()}
	return m
}

// row joins a left row with the right rows that have its key.
func (m *mergeJoin) row(left types.Row) error {
	if err := evaluate(m.ask, m.asks, m.env.Expr, left); err != nil {
		return err
	}
	if m.unequal(m.ask) {
		return m.leftDone(left, false)
	}
	if err := m.find(); err != nil {
		return err
	}
	if !m.group.there && m.ended && !m.keepsLeft() && !m.keepsRight() {
		return errEnough
	}
	matched := false
	for i := range m.group.count {
		ok, err := m.match(left, m.group.row(i))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if matched = true; len(m.group.met) > 0 {
			m.group.met[i] = true
		}
		if m.one() {
			break
		}
	}
	return m.leftDone(left, matched)
}

// keepsLeft says whether left rows without a partner come out.
func (m *mergeJoin) keepsLeft() bool {
	return m.Kind == plan.LeftJoin || m.Kind == plan.FullJoin || m.Kind == plan.AntiJoin
}

// unequal says whether keys equal no others, for a NULL among them.
func (m *mergeJoin) unequal(keys types.Row) bool {
	for i, k := range keys {
		if k.IsNull() && !m.Method.Keys[i].NullsEqual {
			return true
		}
	}
	return false
}

// find makes the group that of the key of the present left row. It has no rows if there are none.
func (m *mergeJoin) find() error {
	if m.group.there {
		switch order := compareKeys(m.by, m.ask, m.group.key); {
		case order == 0:
			return nil
		case order < 0:
			return errKeyOrder
		}
		if err := m.endGroup(); err != nil {
			return err
		}
	}
	for {
		if ok, err := m.foremost(); err != nil || !ok {
			return err
		}
		row := m.batch.Row(m.at)
		if err := evaluate(m.key, m.keys, m.env.Expr, row); err != nil {
			return err
		}
		switch order := compareKeys(m.by, m.key, m.ask); {
		case order > 0:
			return nil
		case order == 0:
			if err := m.group.add(row, m.keepsRight()); err != nil {
				return err
			}
			if !m.group.there {
				m.group.there = true
				copy(m.group.key, m.key)
			}
		case m.group.there:
			return errKeyOrder
		case m.keepsRight():
			if err := m.rightDone(row); err != nil {
				return err
			}
		}
		m.at++
	}
}

// foremost sees to it that there is a right row, and says false behind the last one. What has been joined goes out
// before more is read: it may be all that is wanted.
func (m *mergeJoin) foremost() (bool, error) {
	for !m.ended && (m.batch == nil || m.at == m.batch.Len()) {
		if m.joiner.batch.Len() > 0 {
			if err := m.flush(); err != nil {
				return false, err
			}
		}
		batch, err, ok := m.next()
		if err == nil {
			err = m.canceled()
		}
		if err != nil {
			return false, err
		}
		m.batch, m.at, m.ended = batch, 0, !ok
	}
	return !m.ended, nil
}

// row is one of the rows.
func (g *mergeGroup) row(i int) types.Row { return g.values[i*g.width : (i+1)*g.width] }

// add keeps a row, and whether it will have been met, if that is asked for.
func (g *mergeGroup) add(row types.Row, met bool) error {
	g.values = append(g.values, row...)
	g.count++
	if met {
		g.met = append(g.met, false)
	}
	return g.held.addRow(row)
}

// reset forgets the rows. What held many is not kept for the next ones.
func (g *mergeGroup) reset() {
	g.held.release()
	g.there, g.count = false, 0
	if len(g.values) > types.BatchRows*max(g.width, 1) {
		g.values, g.met = nil, nil
	}
	clear(g.values)
	g.values, g.met = g.values[:0], g.met[:0]
}

// endGroup forgets the rows of a group. Those without a partner come out if that is asked for.
func (m *mergeJoin) endGroup() error {
	for i, met := range m.group.met {
		if met {
			continue
		}
		if err := m.rightDone(m.group.row(i)); err != nil {
			return err
		}
	}
	m.group.reset()
	return nil
}
