package expr

import (
	"fmt"

	"zproxy/sqlerr"
	"zproxy/types"
)

// SetOuter puts a value into a slot.
func (c *Context) SetOuter(slot int, v types.Value) {
	for len(c.Outer) <= slot {
		c.Outer = append(c.Outer, types.Null)
	}
	c.Outer[slot] = v
}

// Eval implements Expr.
func (e Outer) Eval(c *Context, _ types.Row) (types.Value, error) {
	if e.Slot >= len(c.Outer) {
		return types.Null, fmt.Errorf("slot %d has no value", e.Slot)
	}
	return c.Outer[e.Slot], nil
}

// subqueryResult is what a subquery that runs once gave.
type subqueryResult struct {
	value types.Value
	rows  []types.Row     // of ANY and ALL
	keys  map[string]bool // of = ANY: the rows without a NULL; nil when they are not kept
	nulls bool            // some row has a NULL
	left  types.Row       // that is looked up, and its key
	key   []byte
}

// Eval implements Expr.
func (e Subquery) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.result(c, row)
	if e.NullIsFalse && err == nil && v.IsNull() {
		v = types.NewBool(false)
	}
	return v, err
}

// result is the value, where NULL stays what it is.
func (e Subquery) result(c *Context, row types.Row) (types.Value, error) {
	if len(e.Depends) > 0 {
		for i, arg := range e.Args {
			v, err := arg.Eval(c, row)
			if err != nil {
				return types.Null, err
			}
			c.SetOuter(e.Slots[i], v)
		}
		if e.Test == nil {
			return e.value(c)
		}
		return e.quantified(c, row, c.runSubquery(e))
	}
	r := c.results[e.Number]
	if r == nil {
		var err error
		if r, err = e.once(c); err != nil {
			return types.Null, err
		}
	}
	if e.Test == nil {
		return r.value, nil
	}
	if r.keys != nil {
		if v, ok, err := e.find(c, row, r); err != nil || ok {
			return v, err
		}
	}
	return e.quantified(c, row, func(yield func(types.Row, error) bool) {
		for _, item := range r.rows {
			if !yield(item, nil) {
				return
			}
		}
	})
}

// once runs a subquery and keeps what it gave.
func (e Subquery) once(c *Context) (*subqueryResult, error) {
	r := &subqueryResult{}
	if e.equality() {
		r.keys = map[string]bool{}
	}
	if e.Test == nil {
		var err error
		if r.value, err = e.value(c); err != nil {
			return nil, err
		}
	} else {
		for item, err := range c.runSubquery(e) {
			if err != nil {
				return nil, err
			}
			if err := c.keep(item); err != nil {
				return nil, err
			}
			r.add(append(types.Row(nil), item...))
		}
	}
	if c.results == nil {
		c.results = map[int]*subqueryResult{}
	}
	c.results[e.Number] = r
	return r, nil
}

func (c *Context) runSubquery(e Subquery) Set {
	if c.Subqueries == nil {
		return func(yield func(types.Row, error) bool) { yield(nil, fmt.Errorf("no subquery can run here")) }
	}
	return c.Subqueries.Run(e.Number, e.Plan)
}

// keep accounts for a row that is kept until the statement ends.
func (c *Context) keep(row types.Row) error {
	if c.Subqueries == nil {
		return nil
	}
	return c.Subqueries.Keep(row)
}

func (r *subqueryResult) add(row types.Row) {
	r.rows = append(r.rows, row)
	if r.keys == nil {
		return
	}
	if r.setKey(row) {
		r.keys[string(r.key)] = true
	} else {
		r.nulls = true
	}
}

// setKey makes the hash key of a row, which has none when it has a NULL.
func (r *subqueryResult) setKey(row types.Row) bool {
	r.key = r.key[:0]
	for _, v := range row {
		if v.IsNull() {
			return false
		}
		r.key = types.AppendKey(r.key, v)
	}
	return true
}

// equality says whether the test is = ANY, field by field and without casts, so that
// rows can be found by their keys.
func (e Subquery) equality() bool {
	if e.Kind != AnySubquery {
		return false
	}
	conds := Conjuncts(e.Test)
	for i, cond := range conds {
		c, ok := cond.(Compare)
		if !ok || c.Op != EQ || !Equal(c.Left, Column{Index: i}) || !Equal(c.Right, Column{Index: len(conds) + i}) {
			return false
		}
	}
	return len(conds) == len(e.Left)
}

// find looks a row up among those of = ANY. It says false where NULLs leave it open.
func (e Subquery) find(c *Context, row types.Row, r *subqueryResult) (types.Value, bool, error) {
	r.left = r.left[:0]
	for _, l := range e.Left {
		v, err := l.Eval(c, row)
		if err != nil {
			return types.Null, false, err
		}
		r.left = append(r.left, v)
	}
	if !r.setKey(r.left) { // of several fields another may decide
		return types.Null, len(e.Left) == 1 && len(r.rows) > 0, nil
	}
	found := r.keys[string(r.key)]
	if !found && r.nulls {
		return types.Null, len(e.Left) == 1, nil
	}
	return types.NewBool(found), true, nil
}

// value is the value of a subquery that compares nothing.
func (e Subquery) value(c *Context) (types.Value, error) {
	rows := 0
	out := types.Null
	var items []types.Value
	for row, err := range c.runSubquery(e) {
		if err != nil {
			return types.Null, err
		}
		rows++
		switch e.Kind {
		case ExistsSubquery:
			return types.NewBool(true), nil
		case ArraySubquery:
			if len(e.Depends) == 0 { // otherwise the next row has another array
				if err := c.keep(row); err != nil {
					return types.Null, err
				}
			}
			items = append(items, row[0])
			if types.InfoOf(types.InfoOf(e.T.OID).Element).Kind != types.KindArray &&
				items[0].Kind() == types.KindArray {
				if err := CanGather(items[0], row[0]); err != nil {
					return types.Null, err
				}
			}
		default:
			if rows > 1 {
				return types.Null, errManyRows
			}
			out = row[0]
		}
	}
	switch e.Kind {
	case ExistsSubquery:
		return types.NewBool(false), nil
	case ArraySubquery:
		return types.ArrayOfItems(types.InfoOf(e.T.OID).Element, items, c.Env)
	}
	return out, nil
}

// quantified is ANY or ALL over rows.
func (e Subquery) quantified(c *Context, row types.Row, items Set) (types.Value, error) {
	both := make(types.Row, len(e.Left), len(e.Left)+e.Plan.Width())
	for i, l := range e.Left {
		var err error
		if both[i], err = l.Eval(c, row); err != nil {
			return types.Null, err
		}
	}
	rows := func(yield func(types.Row, error) bool) {
		for item, err := range items {
			if !yield(append(both[:len(e.Left)], item...), err) {
				return
			}
		}
	}
	if e.Kind == ScalarSubquery {
		return single(c, e.Test, rows)
	}
	return decide(c, e.Test, e.Kind == AllSubquery, rows)
}

var errManyRows = sqlerr.New(sqlerr.CardinalityViolation,
	"more than one row returned by a subquery used as an expression")

// single is a test of the only row, NULL when there is none.
func single(c *Context, test Expr, rows Set) (out types.Value, err error) {
	n := 0
	for row, err := range rows {
		if n++; err == nil && n > 1 {
			err = errManyRows
		}
		if err == nil {
			out, err = test.Eval(c, row)
		}
		if err != nil {
			return types.Null, err
		}
	}
	return out, nil
}

// decide says whether a test holds for any, or for all, of some rows. It stops at the
// first row that decides; NULL is neither.
func decide(c *Context, test Expr, all bool, rows Set) (types.Value, error) {
	null := false
	for row, err := range rows {
		if err != nil {
			return types.Null, err
		}
		v, err := test.Eval(c, row)
		switch {
		case err != nil:
			return types.Null, err
		case v.IsNull():
			null = true
		case v.Bool() != all:
			return v, nil
		}
	}
	if null {
		return types.Null, nil
	}
	return types.NewBool(all), nil
}

// Once says whether the subquery makes one value for the whole statement.
func (e Subquery) Once() bool { return e.Left == nil && len(e.Depends) == 0 }

// hashed says whether the values of all rows are looked up in one table of what the plan gave.
func (e Subquery) hashed() bool { return len(e.Depends) == 0 && e.equality() }

// String implements Expr. All kinds look the same, as in PostgreSQL.
func (e Subquery) String() string {
	if e.Once() {
		return fmt.Sprintf("$%d", e.Number-1)
	}
	if e.hashed() {
		return fmt.Sprintf("(hashed SubPlan %d)", e.Number)
	}
	return fmt.Sprintf("(SubPlan %d)", e.Number)
}

// Eval implements Expr.
func (e RowCompare) Eval(c *Context, row types.Row) (types.Value, error) {
	for i := range e.Left {
		a, err := e.Left[i].Eval(c, row)
		if err != nil {
			return types.Null, err
		}
		b, err := e.Right[i].Eval(c, row)
		if err != nil || a.IsNull() || b.IsNull() {
			return types.Null, err
		}
		sign := types.Compare(a, b)
		if sign != 0 || i == len(e.Left)-1 {
			return types.NewBool(e.Op.Holds(sign)), nil
		}
	}
	return types.Null, nil
}
