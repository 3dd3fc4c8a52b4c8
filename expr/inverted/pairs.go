package inverted

import (
	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/hstore"
)

func isHstore(t types.T) bool { return t.OID == types.OIDHstore }

// keysAndPairs are what operators find in a set of pairs: its keys, and each with its value.
func keysAndPairs(c *expr.Context, v types.Value) ([]string, error) {
	pairs, err := pairsOf(c, v)
	out := make([]string, 0, 2*len(pairs))
	for _, p := range pairs {
		out = append(out, keyOf(p.Key), pairOf(p))
	}
	return out, err
}

// inPairs are the operators that keys and pairs decide.
var inPairs = map[string]ask{"@>": hasPairs, "?": exists, "?|": existsAny, "?&": existsAll}

func pairsOf(c *expr.Context, v types.Value) ([]hstore.Pair, error) {
	set := v.Hstore()
	if err := c.Tick(len(set)); err != nil {
		return nil, err
	}
	if err := c.Make(set.Memory()); err != nil {
		return nil, err
	}
	return set.Pairs(), nil
}

// pairOf is a pair as an element: no key has a zero byte.
func pairOf(p hstore.Pair) string {
	if p.Null {
		return "n" + p.Key
	}
	return "p" + p.Key + "\x00" + p.Value
}

func hasPairs(c *expr.Context, v types.Value) (Query, error) {
	pairs, err := pairsOf(c, v)
	list := make([]string, len(pairs))
	for i, p := range pairs {
		list[i] = pairOf(p)
	}
	return all(list), err
}
