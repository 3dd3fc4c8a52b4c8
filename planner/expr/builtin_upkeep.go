package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// Upkeep is what functions do to keep tables and their indexes in order.
type Upkeep interface {
	// CheckIndexes compares an index of a table with its rows, or all for an empty name, and
	// perhaps repairs what is wrong. The relation may be an index, too. The rows have
	// CheckColumns.
	CheckIndexes(relation uint32, index string, repair bool) Set
}

// CheckColumns are what is told of an entry that is not as it should be.
var CheckColumns = []OutColumn{{"index", text}, {"class", text}, {"key", text}, {"row", text}, {"detail", text}, {"repaired", boolean}}

const zproxySchema = "zproxy"

var upkeepFunctions = []*Function{
	{Schema: zproxySchema, Name: "check_index", Own: 9520, Args: sig{regclass, text, boolean}, Params: []string{"relation", "index_name", "repair"}, Defaults: []string{"NULL", "'false'"}, Result: types.OIDRecord, Volatility: Volatile, NotStrict: true, Doc: "Entries of an index, or of all indexes of a table, that do not agree with its rows; what can be repaired is, if that is asked for.", Rows: checkIndexes, Out: CheckColumns},
}

func checkIndexes(c *Context, args []types.Value) Set {
	if args[0].IsNull() || args[2].IsNull() {
		return noRows(c, args)
	}
	if c.Upkeep == nil {
		return func(yield func(types.Row, error) bool) { yield(nil, sqlerr.Unsupported("a check of indexes here")) }
	}
	index := ""
	if !args[1].IsNull() {
		index = args[1].Text()
	}
	return c.Upkeep.CheckIndexes(uint32(args[0].Int()), index, args[2].Bool())
}
