package aggregate

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/bits"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/types"
)

// basicAggregates need nothing of numbers. PostgreSQL has no min and max of booleans,
// bytea and uuids.
var basicAggregates = slices.Concat(
	[]*expr.Aggregate{
		{Name: "count", Args: pg.Sig{}, Result: pg.Int8, Doc: "Number of rows.", New: newCountRows},
		{Name: "count", Args: pg.Sig{types.OIDAny}, Result: pg.Int8, Doc: "Number of values that are not NULL.", New: newCount},
		{Name: "bool_and", Args: pg.Sig{pg.Boolean}, Result: pg.Boolean, Doc: "Whether all values are true.", New: newBoolAnd},
		{Name: "every", Args: pg.Sig{pg.Boolean}, Result: pg.Boolean, Doc: "Whether all values are true.", New: newBoolAnd},
		{Name: "bool_or", Args: pg.Sig{pg.Boolean}, Result: pg.Boolean, Doc: "Whether any value is true.", New: newBoolOr},
		{Name: "string_agg", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Texts together, with a delimiter before each but the first.", Keeps: true, New: newStringAgg},
		{Name: "string_agg", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Bytea, Doc: "Bytes together, with a delimiter before each but the first.", Keeps: true, New: newByteaAgg},
	},
	Extremes(pg.Int2, pg.Int4, pg.Int8, pg.Float4, pg.Float8, pg.Numeric, pg.Text, pg.Bpchar, pg.OID, pg.Date,
		pg.Timestamp, pg.Timestamptz, pg.Clock, pg.Clocktz, pg.Interval, pg.Money, types.OIDInet),
)

// Extremes makes min and max for each type.
func Extremes(oids ...types.OID) (all []*expr.Aggregate) {
	for _, oid := range oids {
		all = append(all,
			&expr.Aggregate{Name: "min", Args: pg.Sig{oid}, Result: oid, Doc: "Least value.", New: newMin},
			&expr.Aggregate{Name: "max", Args: pg.Sig{oid}, Result: oid, Doc: "Greatest value.", New: newMax})
	}
	return all
}

type countRows int64

func newCountRows([]types.T) expr.Accumulator { return new(countRows) }

// Add implements Accumulator.
func (n *countRows) Add(*expr.Context, []types.Value) error {
	*n++
	return nil
}

// Result implements Accumulator.
func (n *countRows) Result(*expr.Context) (types.Value, error) { return types.NewInt(int64(*n)), nil }

type count struct{ countRows }

func newCount([]types.T) expr.Accumulator { return new(count) }

// Add implements Accumulator.
func (n *count) Add(_ *expr.Context, args []types.Value) error {
	if !args[0].IsNull() {
		n.countRows++
	}
	return nil
}

// extreme keeps the value that compares with this sign to all others, the last of equal
// ones.
type extreme struct {
	sign int
	best types.Value
}

func newMin([]types.T) expr.Accumulator { return &extreme{sign: -1} }

func newMax([]types.T) expr.Accumulator { return &extreme{sign: 1} }

// Add implements Accumulator.
func (e *extreme) Add(_ *expr.Context, args []types.Value) error {
	v := args[0]
	if v.IsNull() {
		return nil
	}
	if e.best.IsNull() || types.Compare(v, e.best) != -e.sign {
		e.best = v
	}
	return nil
}

// Result implements Accumulator.
func (e *extreme) Result(*expr.Context) (types.Value, error) { return e.best, nil }

// decided looks for one boolean; what is not NULL and not it makes the answer its
// opposite.
type decided struct {
	by     bool
	answer types.Value
}

func newBoolAnd([]types.T) expr.Accumulator { return &decided{by: false} }

func newBoolOr([]types.T) expr.Accumulator { return &decided{by: true} }

// Add implements Accumulator.
func (d *decided) Add(_ *expr.Context, args []types.Value) error {
	v := args[0]
	if !v.IsNull() && (d.answer.IsNull() || v.Bool() == d.by) {
		d.answer = v
	}
	return nil
}

// Result implements Accumulator.
func (d *decided) Result(*expr.Context) (types.Value, error) { return d.answer, nil }

// joined puts texts or bytes together.
type joined struct {
	out   work.Text
	any   bool
	value func(string) types.Value
}

func newStringAgg([]types.T) expr.Accumulator { return &joined{value: types.NewText} }

func newByteaAgg([]types.T) expr.Accumulator {
	return &joined{value: bits.BytesOf}
}

// Add implements Accumulator. A delimiter that is NULL is empty.
func (j *joined) Add(c *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	j.out.Under(&c.Meter)
	if j.any && !args[1].IsNull() {
		j.out.Add(args[1].Text())
	}
	j.any = true
	j.out.Add(args[0].Text())
	return j.out.Err
}

// Result implements Accumulator.
func (j *joined) Result(*expr.Context) (types.Value, error) {
	if !j.any {
		return types.Null, nil
	}
	return j.value(j.out.SoFar()), nil
}
