package system

import (
	"encoding/json"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// statisticsFunctions are about statistics objects.
var statisticsFunctions = []*expr.Function{
	{Name: "pg_get_statisticsobjdef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that makes a statistics object.", Fn1: statisticsDefinition},
	{Name: "pg_get_statisticsobjdef_columns", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Columns of a statistics object.", Fn1: statisticsColumns},
	{Name: "pg_get_statisticsobjdef_expressions", Args: pg.Sig{pg.OID}, Result: types.OIDTextArray, Volatility: expr.Stable, Doc: "Expressions of a statistics object.", Fn1: statisticsExpressions},
	{Name: "pg_mcv_list_items", Args: pg.Sig{pg.Text}, Params: []string{"mcv_list"}, Result: types.OIDRecord, Volatility: expr.Stable, Doc: "Common combinations of values that pg_statistic_ext_data has, as rows.", Rows: commonRows, Out: []expr.OutColumn{
		{Name: "index", Type: pg.Int4}, {Name: "values", Type: types.OIDTextArray}, {Name: "nulls", Type: 1000},
		{Name: "frequency", Type: pg.Float8}, {Name: "base_frequency", Type: pg.Float8}}},
}

func statisticsDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classStatistics, 0, a.Int(), Layout{})
}

func statisticsColumns(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classStatistics, 0, a.Int(), Layout{Columns: true})
}

func statisticsExpressions(c *expr.Context, a types.Value) (types.Value, error) {
	o := objectOf(c, classStatistics, a.Int())
	if o == nil || o.Expressions == nil {
		return types.Null, nil
	}
	var list []types.Value
	for _, text := range o.Expressions(Layout{}) {
		list = append(list, types.NewText(text))
	}
	return types.NewItems(types.OIDText, list), nil
}

func commonRows(_ *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		var list []struct {
			Values    []*string `json:"values"`
			Frequency float64   `json:"frequency"`
			Base      float64   `json:"base_frequency"`
		}
		if err := json.Unmarshal([]byte(args[0].Text()), &list); err != nil {
			yield(nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid list of common values"))
			return
		}
		for i, item := range list {
			var values, nulls []types.Value
			for _, v := range item.Values {
				shown := types.Null
				if v != nil {
					shown = types.NewText(*v)
				}
				values, nulls = append(values, shown), append(nulls, types.NewBool(v == nil))
			}
			row := types.Row{types.NewInt(int64(i)), types.NewItems(types.OIDText, values),
				types.NewItems(types.OIDBool, nulls), types.NewFloat(item.Frequency), types.NewFloat(item.Base)}
			if !yield(row, nil) {
				return
			}
		}
	}
}
