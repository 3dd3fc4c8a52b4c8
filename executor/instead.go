package executor

import (
	"zproxy/catalog/trigger"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/types"
)

// instead fires the triggers of a view in place of an event. All rows are read before the first trigger fires, since
// what it writes is not for the statement to see; only those of a client are not kept.
func instead(f frame, n plan.Instead, back *returned) (count int64, err error) {
	held := f.hold()
	defer held.release()
	var rows []types.Row
	of := replacing{f, n, f.env.firing(n.Fires)}
	streaming := streams(n.Input)
	fire := func(row types.Row) error {
		row, wanted, err := of.row(row)
		if err != nil || !wanted {
			return err
		}
		count++
		return back.add(row)
	}
	for batch, err := range f.input(n.Input) {
		for i := 0; err == nil && i < batch.Len(); i++ {
			row := append(types.Row(nil), batch.Row(i)...)
			if streaming {
				err = fire(row)
				continue
			}
			rows = append(rows, row)
			err = held.addRow(row)
		}
		if err != nil {
			return 0, err
		}
	}
	for _, row := range rows {
		if err := fire(row); err != nil {
			return 0, err
		}
	}
	return count, nil
}

// replacing is one run of an Instead.
type replacing struct {
	frame
	plan.Instead
	fires []plan.Trigger
}

// row fires the triggers for a row of the input, and gives the row over which RETURNING is. It says false if they do
// not want it.
func (r replacing) row(row types.Row) (types.Row, bool, error) {
	width := len(r.Table.Columns)
	known, next := row[:width:width], types.Row(nil)
	switch r.Event {
	case trigger.Insert:
		known, next = nil, row
	case trigger.Update:
		next = append(types.Row(nil), row...)
		if err := assign(next, r.Set, r.env.Expr, row); err != nil {
			return nil, false, err
		}
	}
	for i := range r.fires {
		t := &r.fires[i]
		if !t.Of(trigger.Instead, r.Event, true) {
			continue
		}
		c := &firing.Call{Trigger: t, Event: r.Event, Old: known, Set: assignedBy(r.Set)}
		if next != nil {
			c.New = next[:width:width]
		}
		out, err := firer{r.frame}.fire(c)
		if err != nil || out == nil {
			return nil, false, err
		}
		if next != nil {
			copy(next, out)
		}
	}
	if next == nil {
		next = row
	}
	return next, true, nil
}
