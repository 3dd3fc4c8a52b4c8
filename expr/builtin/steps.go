package builtin

import (
	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// steps are functions of the aggregates of integers, of which those of users are made, too.
var steps = map[string]typedFunction{
	"int8inc": increment, "int8inc_any": increment, "int8inc_float8_float8": increment,
	"int2_avg_accum": addToAverage, "int4_avg_accum": addToAverage, "int8_avg": averageOf,
}

func increment(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
	return FunctionsIn("", "int8pl")[0].Fn2(c, args[0], types.NewInt(1))
}

// averageState is the count and the sum in the state of an average.
func averageState(v types.Value) (count, sum int64, err error) {
	a := v.Array()
	if len(a.Items) != 2 || len(a.Dims) != 1 {
		return 0, 0, sqlerr.New(sqlerr.InvalidParameterValue, "expected 2-element int8 array")
	}
	return a.Items[0].Int(), a.Items[1].Int(), nil
}

func addToAverage(_ *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
	count, sum, err := averageState(args[0])
	if err != nil {
		return types.Null, err
	}
	return types.NewArray(&types.ArrayValue{Element: types.OIDInt8, Dims: []types.Dim{{Length: 2, Lower: 1}},
		Items: []types.Value{types.NewInt(count + 1), types.NewInt(sum + args[1].Int())}}), nil
}

func averageOf(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
	count, sum, err := averageState(args[0])
	if err != nil || count == 0 {
		return types.Null, err
	}
	quotient := FunctionsIn("", "numeric_div")[0].Fn2
	return quotient(c, types.NewNumeric(apd.New(sum, 0)), types.NewNumeric(apd.New(count, 0)))
}
