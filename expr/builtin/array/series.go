package array

import (
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/numeric"
)

// seriesFunctions count.
var seriesFunctions = []*expr.Function{
	{Name: "generate_series", Args: pg.Sig{pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Numbers from one to another.", Rows: intSeries, Count: intCount},
	{Name: "generate_series", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4}, Result: pg.Int4, Doc: "Numbers from one to another in steps.", Rows: intSeries, Count: intCount},
	{Name: "generate_series", Args: pg.Sig{pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Numbers from one to another.", Rows: intSeries, Count: intCount},
	{Name: "generate_series", Args: pg.Sig{pg.Int8, pg.Int8, pg.Int8}, Result: pg.Int8, Doc: "Numbers from one to another in steps.", Rows: intSeries, Count: intCount},
	{Name: "generate_series", Args: pg.Sig{pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Numbers from one to another.", Rows: numericSeries, Count: numericCount},
	{Name: "generate_series", Args: pg.Sig{pg.Numeric, pg.Numeric, pg.Numeric}, Result: pg.Numeric, Doc: "Numbers from one to another in steps.", Rows: numericSeries, Count: numericCount},
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

// intCount is how many numbers there are.
func intCount(args []types.Value) float64 {
	step := 1.0
	if len(args) > 2 {
		step = float64(args[2].Int())
	}
	return steps(float64(args[0].Int()), float64(args[1].Int()), step)
}

// steps is how many steps there are from a number to another, with the first.
func steps(from, to, step float64) float64 {
	n := math.Floor((to-from)/step) + 1
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return n
}

// numericCount is about how many numbers there are.
func numericCount(args []types.Value) float64 {
	of := [3]float64{2: 1}
	for i, v := range args {
		of[i], _ = v.Numeric().Float64()
	}
	return steps(of[0], of[1], of[2])
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
