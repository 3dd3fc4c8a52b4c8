package catalog

import (
	"slices"

	"zproxy/catalog/part"
)

// Heavy is the part by which values of the partition column have shards, to be changed: of a layout where none has any
// yet, one without keys. It is nil where none can have any, since the partition is made of something else, or no two
// rows have the same value.
func (l *Layout) Heavy() *Part {
	parts := l.Partition
	switch {
	case len(parts) == 2 && parts[1].Kind == part.Heavy:
		heavy := parts[1]
		heavy.Keys = slices.Clone(heavy.Keys)
		return &heavy
	case len(parts) != 1 || !parts[0].Plain() || l.Unique && len(l.Columns()) == 1 || l.Curve() != nil:
		return nil
	}
	return &Part{Kind: part.Heavy, Column: parts[0].Column}
}
