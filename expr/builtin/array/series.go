package array

import (
	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// seriesFunctions count.
var seriesFunctions = []*expr.Function{
	{Name: "generate_series", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Numbers from one to another.", Rows: intSeries},
	{Name: "generate_series", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Numbers from one to another in steps.", Rows: intSeries},
	{Name: "generate_series", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Numbers from one to another.", Rows: intSeries},
	{Name: "generate_series", Args: pg.Sig{pg.Int8, pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Numbers from one to another in steps.", Rows: intSeries},
	{Name: "generate_series", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Numbers from one to another.", Rows: numericSeries},
	{Name: "generate_series", Args: pg.Sig{pg.Numeric, pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Numbers from one to another in steps.", Rows: numericSeries},
}

// failed is a set that is nothing but an error.
func failed(err error) expr.Set {
	return func(yield func(types.Row, error) bool) { yield(nil, err) }
}

func zeroStep() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "step size cannot equal zero")
}

func intSeries(_ *expr.Context, args []types.Value) expr.Set {
	step := int64(1)
	if len(args) > 2 {
		step = args[2].Int()
	}
	if step == 0 {
		return failed(zeroStep())
	}
	return series(args[0].Int(), args[1].Int(), step)
}

// series counts in steps that are not zero, as far as the numbers go.
func series(from, to, step int64) expr.Set {
	return func(yield func(types.Row, error) bool) {
		row := make(types.Row, 1)
		for n := from; step > 0 && n <= to || step < 0 && n >= to; {
			row[0] = types.NewInt(n)
			next := n + step
			if !yield(row, nil) || (next > n) != (step > 0) {
				return
			}
			n = next
		}
	}
}

func numericSeries(_ *expr.Context, args []types.Value) expr.Set {
	step := apd.New(1, 0)
	if len(args) > 2 {
		step = args[2].Numeric()
	}
	for i, what := range []string{"start value", "stop value", "step size"}[:len(args)] {
		word := ""
		switch d := args[i].Numeric(); d.Form {
		case apd.NaN:
			word = "NaN"
		case apd.Infinite:
			word = "infinity"
		}
		if word != "" {
			return failed(sqlerr.New(sqlerr.InvalidParameterValue, "%s cannot be %s", what, word))
		}
	}
	if step.IsZero() {
		return failed(zeroStep())
	}
	return func(yield func(types.Row, error) bool) {
		n := args[0].Numeric()
		for {
			order := numeric.Compare(n, args[1].Numeric())
			if order > 0 && !step.Negative || order < 0 && step.Negative {
				return
			}
			if !yield(types.Row{types.NewNumeric(n)}, nil) {
				return
			}
			var err error
			if n, err = numeric.Add(n, step); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
