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
	rows  []types.Row // of ANY and ALL
}

// Eval implements Expr.
func (e Subquery) Eval(c *Context, row types.Row) (types.Value, error) {
	if len(e.Depends) > 0 {
		for i, arg := range e.Args {
			v, err := arg.Eval(c, row)
			if err != nil {
				return types.Null, err
			}
			c.SetOuter(e.Slots[i], v)
		}
		if e.Left == nil {
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
	if e.Left == nil {
		return r.value, nil
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
	if e.Left == nil {
		var err error
		if r.value, err = e.value(c); err != nil {
			return nil, err
		}
	} else {
		for item, err := range c.runSubquery(e) {
			if err != nil {
				return nil, err
			}
			r.rows = append(r.rows, append(types.Row(nil), item...))
		}
	}
	if c.results == nil {
		c.results = map[int]*subqueryResult{}
	}
	c.results[e.Number] = r
	return r, nil
}

func (c *Context) runSubquery(e Subquery) Set {
	if c.Run == nil {
		return func(yield func(types.Row, error) bool) { yield(nil, fmt.Errorf("no subquery can run here")) }
	}
	return c.Run(e.Number, e.Plan)
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
			items = append(items, row[0])
			if items[0].Kind() == types.KindArray {
				if err := CanGather(items[0], row[0]); err != nil {
					return types.Null, err
				}
			}
		default:
			if rows > 1 {
				return types.Null, sqlerr.New(sqlerr.CardinalityViolation, "more than one row returned by a subquery used as an expression")
			}
			out = row[0]
		}
	}
	switch e.Kind {
	case ExistsSubquery:
		return types.NewBool(false), nil
	case ArraySubquery:
		return types.ArrayOfItems(types.InfoOf(e.T.OID).Element, items)
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
	return decide(c, e.Test, e.Kind == AllSubquery, func(yield func(types.Row, error) bool) {
		for item, err := range items {
			if !yield(append(both[:len(e.Left)], item...), err) {
				return
			}
		}
	})
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

// String implements Expr.
func (e Subquery) String() string {
	if e.Once() {
		return fmt.Sprintf("$%d", e.Number-1)
	}
	switch e.Kind {
	case ExistsSubquery:
		return fmt.Sprintf("EXISTS(SubPlan %d)", e.Number)
	case ArraySubquery:
		return fmt.Sprintf("ARRAY(SubPlan %d)", e.Number)
	case AnySubquery, AllSubquery:
		word := map[SubqueryKind]string{AnySubquery: "ANY", AllSubquery: "ALL"}[e.Kind]
		return fmt.Sprintf("(%s %s (SubPlan %d))", list(e.Left), word, e.Number)
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
