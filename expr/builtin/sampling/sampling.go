// Package sampling has the conditions of TABLESAMPLE: whether a row is part of a sample of a share of all rows. It
// depends on a hash of the row and on the seed alone, so the same seed gives the same rows. There are no pages, so
// SYSTEM picks rows, too, as BERNOULLI does.
package sampling

import (
	"math"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/rowhash"
)

// Method is the function of a method of TABLESAMPLE: of the percentage, the seed, and the values that a row is told by.
// nil: there is none.
func Method(name string) *expr.Function {
	if name != "system" && name != "bernoulli" {
		return nil
	}
	return &expr.Function{Name: name, Args: []types.OID{types.OIDFloat4, types.OIDFloat8, types.OIDAny}, Variadic: true,
		NotStrict: true, Volatility: expr.Immutable, Result: types.OIDBool, Syntax: true, FnN: picked, Count: share}
}

// picked says whether a row is part of the sample.
func picked(_ *expr.Context, args []types.Value) (types.Value, error) {
	const argument, repeat = "2202H", "2202G"
	if args[0].IsNull() {
		return types.Null, sqlerr.New(argument, "TABLESAMPLE parameter cannot be null")
	}
	percent := args[0].Float()
	switch {
	case !(percent >= 0 && percent <= 100):
		return types.Null, sqlerr.New(argument, "sample percentage must be between 0 and 100")
	case args[1].IsNull():
		return types.Null, sqlerr.New(repeat, "TABLESAMPLE REPEATABLE parameter cannot be null")
	}
	seed := mixed(math.Float64bits(args[1].Float() + 0)) // so that -0 is 0
	cutoff := math.RoundToEven((math.MaxUint32 + 1) * percent / 100)
	return types.NewBool(float64(uint32(mixed(rowhash.Row(args[2:])^seed))) < cutoff), nil
}

// share is that of the rows which are part of the sample.
func share(args []types.Value) float64 { return min(max(args[0].Float()/100, 0), 1) }

// mixed has each bit of a number depend on all of its bits (SplitMix64).
func mixed(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
