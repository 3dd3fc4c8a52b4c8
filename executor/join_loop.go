package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// loop compares every left row with every right row. The right input is read once.
func (j *joiner) loop() error {
	held := j.hold()
	defer held.release()
	var right []types.Row
	read := false
	load := func() error {
		if read {
			return nil
		}
		read = true
		kept := slab{width: j.right}
		return j.frame.each(j.input(j.Right, j.Left), func(row types.Row) error {
			right = append(right, kept.keep(row))
			return held.addRow(row)
		})
	}
	var met []bool
	err := j.each(j.input(j.Left), func(left types.Row) error {
		if err := load(); err != nil {
			return err
		}
		if met == nil && j.keepsRight() {
			met = make([]bool, len(right))
		}
		return j.compare(left, right, met)
	})
	if err != nil || !j.keepsRight() {
		return err
	}
	if err := load(); err != nil {
		return err
	}
	for i, row := range right {
		if met != nil && met[i] {
			continue
		}
		if err := j.rightDone(row); err != nil {
			return err
		}
	}
	return nil
}

// compare tries a left row with right rows, and marks those that it meets.
func (j *joiner) compare(left types.Row, right []types.Row, met []bool) error {
	matched := false
	for i, row := range right {
		ok, err := j.match(left, row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if matched = true; met != nil {
			met[i] = true
		}
		if j.one() {
			break
		}
	}
	return j.leftDone(left, matched)
}

// lateral runs the right input for every left row, whose values it reads.
func (j *joiner) lateral() error {
	return j.each(j.input(j.Left), func(left types.Row) error {
		if err := j.setSlots(j.Slots, left); err != nil {
			return err
		}
		matched := false
		err := j.frame.each(j.input(j.Right, j.Left), func(right types.Row) error {
			ok, err := j.match(left, right)
			if ok {
				matched = true
			}
			if err == nil && ok && j.one() {
				return errEnough
			}
			return err
		})
		if err != nil && err != errEnough {
			return err
		}
		return j.leftDone(left, matched)
	})
}

// setSlots puts values of a left row where the right side reads them.
func (j *joiner) setSlots(slots []plan.Slot, left types.Row) error {
	for _, s := range slots {
		v, err := s.Value.Eval(j.env.Expr, left)
		if err != nil {
			return err
		}
		j.env.Expr.SetOuter(s.Number, v)
	}
	return nil
}
