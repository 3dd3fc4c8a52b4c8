package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// Sites is what functions exchange with other stores that have the same tables.
type Sites interface {
	// Changes are the rows of a table of which anything was written or deleted since a millisecond.
	Changes(relation uint32, since int64) expr.Set
	// Apply merges changes of another store, and says how many rows are others now.
	Apply(relation uint32, changes *json.Value) (int64, error)
}

var siteFunctions = []*expr.Function{
	{Schema: zproxySchema, Name: "changes", OID: 9570, Args: pg.Sig{pg.Regclass, pg.Int8}, Params: []string{"relation", "since"}, Defaults: []string{"'0'"}, Result: pg.JSONB, Volatility: expr.Volatile, Doc: "Rows of a table whose cells have timestamps, deleted ones among them, of which anything was written or deleted since a time in milliseconds.", Rows: changes, Out: []expr.OutColumn{{Name: "changes", Type: pg.JSONB}}},
	{Schema: zproxySchema, Name: "apply_changes", OID: 9571, Args: pg.Sig{pg.Regclass, pg.JSONB}, Params: []string{"relation", "changes"}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Merges an array of changes of another site into a table by the timestamps of cells; gives how many rows are others now.", Fn2: applyChanges},
	CellTimestamp,
}

// CellTimestamp is resolved by the planner where its argument is a column.
var CellTimestamp = &expr.Function{Schema: zproxySchema, Name: "cell_timestamp", OID: 9572, Args: pg.Sig{types.OIDAnyElement}, Params: []string{"cell"}, Result: pg.Int8, Volatility: expr.Stable, Doc: "When a column of a row was written, in milliseconds, in a table whose cells have timestamps; NULL if it never was. Of a column of the primary key it is when the row was inserted.", Fn1: noCell}

func noCell(*expr.Context, types.Value) (types.Value, error) { return types.Null, NoCell() }

// NoCell is the error about an argument of CellTimestamp.
func NoCell() *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidColumnReference, "the argument of zproxy.cell_timestamp() is no column of a table")
}

func sitesOf(c *expr.Context) (Sites, error) {
	if hostOf(c).Sites == nil {
		return nil, sqlerr.Unsupported("the exchange of changes here")
	}
	return hostOf(c).Sites, nil
}

func changes(c *expr.Context, args []types.Value) expr.Set {
	s, err := sitesOf(c)
	if err != nil {
		return func(yield func(types.Row, error) bool) { yield(nil, err) }
	}
	return s.Changes(uint32(args[0].Int()), args[1].Int())
}

func applyChanges(c *expr.Context, relation, changes types.Value) (types.Value, error) {
	s, err := sitesOf(c)
	if err != nil {
		return types.Null, err
	}
	n, err := s.Apply(uint32(relation.Int()), changes.JSONB())
	return types.NewInt(n), err
}
