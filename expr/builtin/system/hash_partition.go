package system

import (
	"strings"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/rowhash"
)

// hashPartitions is satisfies_hash_partition, as statements call it.
var hashPartitions = &expr.Function{Name: "satisfies_hash_partition",
	Args: []types.OID{types.OIDOID, types.OIDInt4, types.OIDInt4, types.OIDAny}, Result: types.OIDBool, Variadic: true,
	NotStrict: true, Doc: "Whether the hash of values leaves a remainder, as that of the rows of a hash partition does.",
	Typed: satisfiesHash}

// rowsOfHash is the same as the condition for the rows of a partition, which is known to be one.
var rowsOfHash = &expr.Function{Name: hashPartitions.Name, Args: hashPartitions.Args, Result: types.OIDBool,
	Variadic: true, NotStrict: true, FnN: func(_ *expr.Context, args []types.Value) (types.Value, error) {
		return types.NewBool(rowhash.Takes(args[3:], int(args[1].Int()), int(args[2].Int()))), nil
	}}

// SatisfiesHash is the condition for the rows of a partition of a table by the hash of some keys.
func SatisfiesHash(table uint32, modulus, remainder int, keys []expr.Expr) expr.Expr {
	number := func(n int, t types.T) expr.Expr { return expr.Const{Value: types.NewInt(int64(n)), T: t} }
	args := []expr.Expr{number(int(table), types.Of(types.OIDOID)), number(modulus, types.Int4),
		number(remainder, types.Int4)}
	return expr.Call{Fn: rowsOfHash, Args: append(args, keys...), T: types.Bool}
}

func satisfiesHash(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
	if args[0].IsNull() || args[1].IsNull() || args[2].IsNull() {
		return types.NewBool(false), nil
	}
	modulus, remainder := args[1].Int(), args[2].Int()
	bad := func(format string, args ...any) (types.Value, error) {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
	}
	switch {
	case modulus <= 0:
		return bad("modulus for hash partition must be an integer value greater than zero")
	case remainder < 0:
		return bad("remainder for hash partition must be an integer value greater than or equal to zero")
	case remainder >= modulus:
		return bad("remainder for hash partition must be less than modulus")
	}
	o := objectOf(c, classRelation, args[0].Int())
	switch {
	case o == nil || o.Relation == nil:
		return bad("could not open relation with OID %d", args[0].Int())
	case !strings.HasPrefix(o.Relation.PartitionKey, "HASH "):
		return bad("\"%s\" is not a hash partitioned table", o.Name)
	case o.Relation.Keys != len(args)-3:
		return bad("number of partitioning columns (%d) does not match number of partition keys provided (%d)",
			o.Relation.Keys, len(args)-3)
	}
	return types.NewBool(rowhash.Takes(args[3:], int(modulus), int(remainder))), nil
}
