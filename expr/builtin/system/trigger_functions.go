package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// triggerFunctions print triggers.
var triggerFunctions = []*expr.Function{
	{Name: "pg_get_triggerdef", Args: pg.Sig{pg.OID}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that makes a trigger.", Fn1: triggerDefinition},
	{Name: "pg_get_triggerdef", Args: pg.Sig{pg.OID, pg.Boolean}, Result: pg.Text, Volatility: expr.Stable, Doc: "Statement that makes a trigger, perhaps with fewer parentheses.", Fn2: triggerPretty},
}

func triggerDefinition(c *expr.Context, a types.Value) (types.Value, error) {
	return definitionOf(c, classTrigger, 0, a.Int(), Layout{})
}

func triggerPretty(c *expr.Context, a, pretty types.Value) (types.Value, error) {
	return definitionOf(c, classTrigger, 0, a.Int(), Layout{Pretty: pretty.Bool()})
}
