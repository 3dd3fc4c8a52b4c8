package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Upkeep is what functions do to keep tables and their indexes in order.
type Upkeep interface {
	// CheckIndexes compares an index of a table with its rows, or all for an empty name, and
	// perhaps repairs what is wrong. The relation may be an index, too. The rows have
	// CheckColumns.
	CheckIndexes(relation uint32, index string, repair bool) expr.Set
	// AwaitBuild waits for the end of the build of an index, and says in which state it is then,
	// or why it failed. The relation is the index, or its table.
	AwaitBuild(relation uint32, index string) (state string, err error)
	// CancelBuild ends a build, and says whether there was one. The index is disabled then.
	CancelBuild(relation uint32, index string) (bool, error)
	// SetBuildRate limits how many rows a second a build reads; 0: it does not. It says whether
	// there is one.
	SetBuildRate(relation uint32, index string, rows int64) (bool, error)
	// Expire removes the rows of a table that have expired, and says how many.
	Expire(relation uint32) (int64, error)
	// ForgetCorrections removes what this process has learned of how wrong estimates of a table's rows are, and says
	// how many corrections that were.
	ForgetCorrections(relation uint32) (int64, error)
}

// CheckColumns are what is told of an entry that is not as it should be.
var CheckColumns = []expr.OutColumn{{Name: "index", Type: pg.Text}, {Name: "class", Type: pg.Text}, {Name: "key",
	Type: pg.Text}, {Name: "row", Type: pg.Text}, {Name: "detail", Type: pg.Text}, {Name: "repaired", Type: pg.Boolean}}

const zproxySchema = "zproxy"

var upkeepFunctions = []*expr.Function{
	{Schema: zproxySchema, Name: "check_index", OID: 9520, Args: pg.Sig{pg.Regclass, pg.Text, pg.Boolean}, Params: []string{"relation", "index_name", "repair"}, Defaults: []string{"NULL", "'false'"}, Result: types.OIDRecord, Volatility: expr.Volatile, NotStrict: true, Doc: "Entries of an index, or of all indexes of a table, that do not agree with its rows; what can be repaired is, if that is asked for.", Rows: checkIndexes, Out: CheckColumns},
	{Schema: zproxySchema, Name: "expire", OID: 9530, Args: pg.Sig{pg.Regclass}, Params: []string{"relation"}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Removes the rows of a table that have expired by its ttl, which no query finds any more, and timestamps of deletes beyond its delete_retention; gives how many.", Fn1: expire},
	{Schema: zproxySchema, Name: "forget_corrections", OID: 9580, Args: pg.Sig{pg.Regclass}, Params: []string{"relation"}, Result: pg.Int8, Volatility: expr.Volatile, Doc: "Removes what zproxy.corrections tells of a table; gives how many corrections that were.", Fn1: forgetCorrections},
	{Schema: zproxySchema, Name: "wait_for_index", OID: 9540, Args: pg.Sig{pg.Regclass, pg.Text}, Params: []string{"relation", "index_name"}, Defaults: []string{"NULL"}, Result: pg.Text, Volatility: expr.Volatile, NotStrict: true, Doc: "Waits until the build of an index has ended, and says in which state the index is; it fails as the build did.", Fn2: awaitBuild},
	{Schema: zproxySchema, Name: "cancel_build", OID: 9541, Args: pg.Sig{pg.Regclass, pg.Text}, Params: []string{"relation", "index_name"}, Defaults: []string{"NULL"}, Result: pg.Boolean, Volatility: expr.Volatile, NotStrict: true, Doc: "Ends the build of an index, which is disabled then; false if there is none.", Fn2: cancelBuild},
	{Schema: zproxySchema, Name: "set_build_rate", OID: 9542, Args: pg.Sig{pg.Regclass, pg.Text, pg.Int8}, Params: []string{"relation", "index_name", "rows_per_second"}, Result: pg.Boolean, Volatility: expr.Volatile, NotStrict: true, Doc: "Limits how many rows a second the build of an index reads, 0 for no limit; false if there is none.", FnN: setBuildRate},
}

func awaitBuild(c *expr.Context, relation, index types.Value) (types.Value, error) {
	u, err := upkeepOf(c)
	if err != nil || relation.IsNull() {
		return types.Null, err
	}
	state, err := u.AwaitBuild(uint32(relation.Int()), nameOrNone(index))
	return types.NewText(state), err
}

func cancelBuild(c *expr.Context, relation, index types.Value) (types.Value, error) {
	u, err := upkeepOf(c)
	if err != nil || relation.IsNull() {
		return types.Null, err
	}
	was, err := u.CancelBuild(uint32(relation.Int()), nameOrNone(index))
	return types.NewBool(was), err
}

func setBuildRate(c *expr.Context, args []types.Value) (types.Value, error) {
	u, err := upkeepOf(c)
	if err != nil || args[0].IsNull() || args[2].IsNull() {
		return types.Null, err
	}
	was, err := u.SetBuildRate(uint32(args[0].Int()), nameOrNone(args[1]), args[2].Int())
	return types.NewBool(was), err
}

func upkeepOf(c *expr.Context) (Upkeep, error) {
	if hostOf(c).Upkeep == nil {
		return nil, sqlerr.Unsupported("the upkeep of tables and indexes here")
	}
	return hostOf(c).Upkeep, nil
}

func nameOrNone(v types.Value) string {
	if v.IsNull() {
		return ""
	}
	return v.Text()
}

func checkIndexes(c *expr.Context, args []types.Value) expr.Set {
	if args[0].IsNull() || args[2].IsNull() {
		return noRows(c, args)
	}
	u, err := upkeepOf(c)
	if err != nil {
		return func(yield func(types.Row, error) bool) { yield(nil, err) }
	}
	return u.CheckIndexes(uint32(args[0].Int()), nameOrNone(args[1]), args[2].Bool())
}

func forgetCorrections(c *expr.Context, a types.Value) (types.Value, error) {
	u, err := upkeepOf(c)
	if err != nil {
		return types.Null, err
	}
	n, err := u.ForgetCorrections(uint32(a.Int()))
	return types.NewInt(n), err
}

func expire(c *expr.Context, a types.Value) (types.Value, error) {
	u, err := upkeepOf(c)
	if err != nil {
		return types.Null, err
	}
	n, err := u.Expire(uint32(a.Int()))
	return types.NewInt(n), err
}
