package executor

import (
	"slices"

	"zproxy/catalog/trigger"
	"zproxy/encoding/cells"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// upsert finds for rows that are to be inserted the rows that have their keys already, and
// makes updates of those.
type upsert struct {
	*inserter
	arbiters []int // the layouts whose keys are looked at
	// there are the rows that have a key, as far as it was looked up; written are the keys
	// of rows that the statement has written.
	there   map[string]standing
	written map[string]bool
	// free are the keys of the table that were looked up and no row has, with what is left of one that was deleted.
	free    map[string]types.Row
	columns []uint32 // of which cells are written
	held    hold     // until the statement is over
}

func newUpsert(in *inserter) *upsert {
	u := &upsert{inserter: in, there: map[string]standing{}, written: map[string]bool{},
		free: map[string]types.Row{}, held: in.hold()}
	u.columns = timed{&in.writer}.assigned(in.Set, in.Stamp, cells.Row)
	decides := arbiter(in.Insert)
	for i, l := range in.layouts {
		if l.unique && l.makes && decides(l) && (l.index != nil || in.table.KeyName() != "") {
			u.arbiters = append(u.arbiters, i)
		}
	}
	return u
}

// resolve says what becomes of rows that are to be inserted, in their order.
func (u *upsert) resolve(proposed []change) ([]change, error) {
	if u.Overwrite {
		proposed = lastOf(u.table.rows, proposed)
	}
	for _, i := range u.arbiters {
		if err := u.lookUp(i, proposed); err != nil {
			return nil, err
		}
	}
	var out []change
	both := make(types.Row, 2*len(u.table.Columns))
	for _, p := range proposed {
		old, id, err := u.conflict(p.new)
		if err != nil {
			return nil, err
		}
		c := p
		if old.row != nil {
			u.profile.Met++
			copy(both, old.row)
			copy(both[len(old.row):], p.new)
			var ok bool
			if c, ok, err = u.updated(old, both); err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			c.from = p.from
			delete(u.there, id)
		}
		if err := u.wrote(c.new); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// conflict finds the row that has a key of another one.
func (u *upsert) conflict(row types.Row) (standing, string, error) {
	for _, i := range u.arbiters {
		l := u.layouts[i]
		held, err := u.mayConflict(i, row)
		if err == nil {
			err = deferring{&u.writer}.arbitrates(l)
		}
		if err != nil {
			return standing{}, "", err
		}
		if !held {
			continue
		}
		id := claimKey(i, l.codec.First(row))
		old := u.there[id]
		again := u.written[id] || old.row != nil && (parts{u.frame}).changed(u.table, old.row)
		if again && !u.Overwrite {
			return standing{}, "", sqlerr.New(sqlerr.CardinalityViolation,
				"ON CONFLICT DO UPDATE command cannot affect row a second time").
				WithHint("Ensure that no rows proposed for insertion within the same command have duplicate constrained values.")
		}
		if old.row != nil {
			return old, id, nil
		}
	}
	return standing{}, "", nil
}

// mayConflict says whether a row has a key in a layout that no other row may have.
func (u *upsert) mayConflict(layout int, row types.Row) (bool, error) {
	if u.layouts[layout].codec.KeyHasNull(row) {
		return false, nil
	}
	return u.holds(layout, row)
}

// updated makes the update of a row that is there; it says false when the row is to be
// left as it is.
func (u *upsert) updated(old standing, both types.Row) (change, bool, error) {
	if u.SetWhere != nil {
		v, err := u.SetWhere.Eval(u.env.Expr, both)
		if err != nil || !v.IsTrue() {
			return change{}, false, err
		}
	}
	if err := (secured{&u.writer}).allow(old.row, plan.ConflictCheck); err != nil {
		return change{}, false, err
	}
	next := slices.Clone(old.row)
	if err := assign(next, u.Set, u.env.Expr, both); err != nil {
		return change{}, false, err
	}
	if err := (timed{&u.writer}).restamp(old.row, next, u.columns); err != nil {
		return change{}, false, err
	}
	if fired, err := (firedFor{&u.writer}).before(trigger.Update, old.row, next); err != nil || !fired {
		return change{}, false, err
	}
	if err := u.check(next, plan.UpdateCheck); err != nil {
		return change{}, false, err
	}
	return change{old: old.row, new: next, anew: old.anew}, true, u.moves(next)
}

// wrote notes the keys of a row that will be written.
func (u *upsert) wrote(row types.Row) error {
	for _, i := range u.arbiters {
		held, err := u.mayConflict(i, row)
		if err != nil {
			return err
		}
		if !held {
			continue
		}
		id := claimKey(i, u.layouts[i].codec.First(row))
		u.written[id] = true
		if err := u.held.add(int64(len(id)) + rowOverhead); err != nil {
			return err
		}
	}
	return nil
}

// lookUp finds the rows that have the keys of rows in a layout.
func (u *upsert) lookUp(layout int, proposed []change) error {
	l := u.layouts[layout]
	var ids []string
	var rows []types.Row
	var fresh []bool // which keys were not locked already
	asked := map[string]bool{}
	for _, p := range proposed {
		held, err := u.mayConflict(layout, p.new)
		if err != nil {
			return err
		}
		if !held {
			continue
		}
		id := claimKey(layout, l.codec.First(p.new))
		if asked[id] {
			continue
		}
		asked[id] = true
		ids, rows = append(ids, id), append(rows, p.new)
		new, err := unique{&u.writer}.lock(l, l.codec.First(p.new))
		if err != nil {
			return err
		}
		fresh = append(fresh, new)
	}
	holders, err := u.lockedHolders(l, rows, fresh)
	for i := 0; err == nil && i < len(ids); i++ {
		row := holders[i].row
		if layout == 0 && u.table.cells != nil && (row == nil || u.gone(row)) {
			u.free[ids[i]] = row
		}
		if row == nil || u.expired(row) || u.gone(row) {
			continue
		}
		u.there[ids[i]] = holders[i]
		err = u.held.addRow(row)
	}
	return err
}

// lockedHolders are the rows that have keys of others, which are locked. They are locked, too.
func (u *upsert) lockedHolders(l *layout, rows []types.Row, fresh []bool) ([]standing, error) {
	there, _, err := u.holders(l, rows)
	out := make([]standing, len(there))
	for i := 0; err == nil && i < len(out); i++ {
		out[i], err = unique{&u.writer}.holder(l, rows[i], there[i], fresh[i])
	}
	return out, err
}
