package json

import (
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// uniqueAgg gives what it is given to another accumulator of keys and values, but for a key that comes twice. One that
// is strict leaves out NULLs, whose keys count all the same.
type uniqueAgg struct {
	expr.Accumulator
	of     []types.T
	strict bool
	named  bool // the error has the key
	seen   map[string]bool
}

func newUniqueAgg(strict bool) func([]types.T) expr.Accumulator {
	return func(of []types.T) expr.Accumulator {
		return &uniqueAgg{newJSONObjectAgg(of), of, strict, true, map[string]bool{}}
	}
}

func newUniqueBAgg(strict bool) func([]types.T) expr.Accumulator {
	return func(of []types.T) expr.Accumulator {
		return &uniqueAgg{newJSONBObjectAgg(of), of, strict, false, map[string]bool{}}
	}
}

// Add implements Accumulator.
func (a *uniqueAgg) Add(c *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return sqlerr.New(sqlerr.NullValueNotAllowed, "null value not allowed for object key")
	}
	key, err := jsonKey(c, args[0], a.of[0])
	if err == nil {
		err = c.Grow(len(key))
	}
	switch {
	case err != nil:
		return err
	case !a.seen[key]:
		a.seen[key] = true
	case a.named:
		return duplicateKey(key)
	default:
		return sqlerr.New(sqlerr.DuplicateJSONKey, "duplicate JSON object key value")
	}
	if a.strict && args[1].IsNull() {
		return nil
	}
	return a.Accumulator.Add(c, args)
}

// duplicateKey is the error for a key that an object which is written has twice.
func duplicateKey(key string) error {
	return sqlerr.New(sqlerr.DuplicateJSONKey, "duplicate JSON object key value: %s", json.AppendString(nil, key))
}
