package failure

import (
	"errors"
	"strconv"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/metrics"
	"zproxy/sqlerr"
	"zproxy/store"
)

// tooBusy tells which of the causes it is that a store has too much to do: one key that is asked for too often, many
// rows in one partition, or more requests than are provided for.
func tooBusy(k Known, err error) error {
	var b *store.Busy
	if !errors.As(err, &b) {
		return sqlerr.Wrap(err, sqlerr.InsufficientResources, "the store is overloaded").
			WithHint("The transaction might succeed if retried later.")
	}
	where := spaceOf(k.Catalog, b.Space)
	found := where.cause(k.Heat, b)
	e := sqlerr.Wrap(err, sqlerr.InsufficientResources, "too many requests for %s", where)
	if b.Hot {
		e = sqlerr.Wrap(err, sqlerr.ConfigurationLimitExceeded, "too many requests for %s of %s",
			where.partition(b.Partition), where)
	}
	return e.WithDetail("%sThe store says: %s.", found.number, b.Reason).
		WithHint("%sThe transaction might succeed if retried later.", found.remedy)
}

// spaceName is a space as those know it who speak SQL.
type spaceName struct {
	space string
	table *catalog.Table // nil: the space is of no table
	index *catalog.Index // nil: it keeps the table's rows
}

// spaceOf looks for a space in the catalog.
func spaceOf(of Catalog, space string) spaceName {
	for _, t := range of.Tables() {
		if t.Space.Name == space || t.Foreign != nil && t.Foreign.Table == space {
			return spaceName{space, t, nil}
		}
		for i := range t.Indexes {
			if t.Indexes[i].Space.Name == space {
				return spaceName{space, t, &t.Indexes[i]}
			}
		}
	}
	return spaceName{space: space}
}

// String names the table or the index.
func (n spaceName) String() string {
	switch {
	case n.table == nil && n.space == "":
		return "several tables"
	case n.table == nil:
		return "space " + strconv.Quote(n.space)
	case n.index == nil && n.table.Foreign != nil:
		return "foreign table " + strconv.Quote(n.table.Name)
	case n.index == nil:
		return "table " + strconv.Quote(n.table.Name)
	}
	return "index " + strconv.Quote(n.index.Name)
}

func (n spaceName) layout() *catalog.Layout {
	if n.index != nil {
		return &n.index.Layout
	}
	return &n.table.Primary
}

// partition names one by its values: partition (tenant = 7, shard(id) = 3).
func (n spaceName) partition(key []byte) string {
	switch {
	case key == nil || n.table == nil || n.table.Foreign != nil:
		return "a partition"
	case len(n.layout().Partition) == 0:
		return "the only partition"
	}
	c, err := keys.NewCodec(n.table, n.layout())
	if err != nil {
		return "a partition"
	}
	return "partition (" + c.FormatPartition(key) + ")"
}

// HotPartitions are those that a store tells, the worst first; none if it tells nothing.
func HotPartitions(of Catalog, st store.Store) (out []metrics.HotPartition) {
	p, ok := st.(store.Pressed)
	if !ok {
		return nil
	}
	for _, h := range p.Pressure().Hot {
		where := spaceOf(of, h.Space)
		out = append(out, metrics.HotPartition{
			Where: where.String(), Partition: where.partition(h.Partition), Refused: h.Count,
		})
	}
	return out
}
