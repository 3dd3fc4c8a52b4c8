package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// ZOrder tells how Z-order indexes are read.
type ZOrder interface {
	// Cover is the ranges of addresses, at most so many, that together hold the rows of a table
	// for which a predicate is true. The relation is an index. The rows have CoverColumns.
	Cover(index uint32, predicate string, most int64) expr.Set
}

// CoverColumns are what is told of a range of Z-addresses.
var CoverColumns = []expr.OutColumn{
	{Name: "range", Type: pg.Int4}, {Name: "zlow", Type: pg.Text}, {Name: "zhigh", Type: pg.Text}, {Name: "inside", Type: pg.Boolean}, {Name: "entries", Type: pg.Float8}, {Name: "low", Type: pg.TextArray}, {Name: "high", Type: pg.TextArray},
}

var zorderFunctions = []*expr.Function{
	{Schema: zproxySchema, Name: "zorder_ranges", OID: 9550, Args: pg.Sig{pg.Regclass, pg.Text, pg.Int4}, Params: []string{"index", "predicate", "max_ranges"}, Defaults: []string{"100"}, Result: types.OIDRecord, Volatility: expr.Stable, Doc: "Ranges of Z-addresses that together hold the rows for which a predicate is true, with the entries that are thought to be in them and the corners of the box around each; inside says that a range holds nothing else.", Rows: zorderRanges, Out: CoverColumns},
}

func zorderRanges(c *expr.Context, args []types.Value) expr.Set {
	switch {
	case args[0].IsNull() || args[1].IsNull() || args[2].IsNull():
		return noRows(c, args)
	case hostOf(c).ZOrder == nil:
		return func(yield func(types.Row, error) bool) {
			yield(nil, sqlerr.Unsupported("reading Z-order indexes here"))
		}
	}
	return hostOf(c).ZOrder.Cover(uint32(args[0].Int()), args[1].Text(), args[2].Int())
}
