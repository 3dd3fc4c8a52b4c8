package window

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

var valueFunctions = []*expr.WindowFunction{
	{Name: "lag", Args: pg.Sig{pg.AnyElement}, Result: pg.AnyElement, Doc: "Value of the row before.", New: each(offset(-1))},
	{Name: "lag", Args: pg.Sig{pg.AnyElement, pg.Int4}, Result: pg.AnyElement, Doc: "Value of the row so many rows before.", New: each(offset(-1))},
	{Name: "lag", Args: pg.Sig{pg.AnyCompatible, pg.Int4, pg.AnyCompatible}, Result: pg.AnyCompatible, Doc: "Value of the row so many rows before, or the last argument where there is none.", New: each(offset(-1))},
	{Name: "lead", Args: pg.Sig{pg.AnyElement}, Result: pg.AnyElement, Doc: "Value of the row after.", New: each(offset(1))},
	{Name: "lead", Args: pg.Sig{pg.AnyElement, pg.Int4}, Result: pg.AnyElement, Doc: "Value of the row so many rows after.", New: each(offset(1))},
	{Name: "lead", Args: pg.Sig{pg.AnyCompatible, pg.Int4, pg.AnyCompatible}, Result: pg.AnyCompatible, Doc: "Value of the row so many rows after, or the last argument where there is none.", New: each(offset(1))},
	{Name: "first_value", Args: pg.Sig{pg.AnyElement}, Result: pg.AnyElement, Doc: "Value of the first row of the frame.", New: each(firstValue)},
	{Name: "last_value", Args: pg.Sig{pg.AnyElement}, Result: pg.AnyElement, Doc: "Value of the last row of the frame.", New: each(lastValue)},
	{Name: "nth_value", Args: pg.Sig{pg.AnyElement, pg.Int4}, Result: pg.AnyElement, Doc: "Value of a row of the frame by its number, from 1.", New: each(nthValue)},
}

// offset is the value of another row of the partition, in one direction.
func offset(direction int) windowFunc {
	return func(c *expr.Context, p expr.Partition) (types.Value, error) {
		args, err := p.Args(c, p.Row())
		if err != nil {
			return types.Null, err
		}
		by, missing := int64(1), types.Null
		if len(args) > 1 {
			if args[1].IsNull() {
				return types.Null, nil
			}
			by = args[1].Int()
		}
		if len(args) > 2 {
			missing = args[2]
		}
		row := int64(p.Row()) + int64(direction)*by
		if row < 0 || row >= int64(p.Len()) {
			return missing, nil
		}
		return argument(c, p, int(row))
	}
}

// argument is the first argument for a row.
func argument(c *expr.Context, p expr.Partition, row int) (types.Value, error) {
	args, err := p.Args(c, row)
	if err != nil {
		return types.Null, err
	}
	return args[0], nil
}

// frameUnits is the work of asking whether a row is in a frame.
const frameUnits = 64

func firstValue(c *expr.Context, p expr.Partition) (types.Value, error) {
	first, end := p.Frame()
	for row := first; row < end; row++ {
		if err := c.Tick(frameUnits); err != nil {
			return types.Null, err
		}
		if p.InFrame(row) {
			return argument(c, p, row)
		}
	}
	return types.Null, nil
}

func lastValue(c *expr.Context, p expr.Partition) (types.Value, error) {
	first, end := p.Frame()
	for row := end - 1; row >= first; row-- {
		if err := c.Tick(frameUnits); err != nil {
			return types.Null, err
		}
		if p.InFrame(row) {
			return argument(c, p, row)
		}
	}
	return types.Null, nil
}

func nthValue(c *expr.Context, p expr.Partition) (types.Value, error) {
	args, err := p.Args(c, p.Row())
	if err != nil || args[1].IsNull() {
		return types.Null, err
	}
	left := args[1].Int()
	if left <= 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidArgumentForNthValue,
			"argument of nth_value must be greater than zero")
	}
	first, end := p.Frame()
	for row := first; row < end; row++ {
		if err := c.Tick(frameUnits); err != nil {
			return types.Null, err
		}
		if !p.InFrame(row) {
			continue
		}
		if left--; left == 0 {
			return argument(c, p, row)
		}
	}
	return types.Null, nil
}
