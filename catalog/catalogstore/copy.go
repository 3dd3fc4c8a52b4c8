package catalogstore

import (
	"fmt"
	"maps"

	"zproxy/catalog"
)

// Copy is an object as Load would read it after Put, a table with its statistics. Nothing of it is the other one's.
func Copy(o catalog.Object) (catalog.Object, error) {
	kind, id := kindOf(o)
	body, err := encode(o)
	if err != nil {
		return nil, fmt.Errorf("catalog: %w", err)
	}
	out, err := decode(kind, body)
	if err != nil {
		return nil, damaged(kind, id, err)
	}
	t, ok := o.(*catalog.Table)
	if !ok || !t.Stats.Known {
		return out, nil
	}
	stats, err := encodeStats(t)
	if err != nil {
		return nil, err
	}
	next := out.(*catalog.Table)
	if next.Stats, err = decodeStats(next, stats); err != nil {
		return nil, damaged(kindStats, id, err)
	}
	next.Stats.Sketches = maps.Clone(t.Stats.Sketches)
	return next, nil
}
