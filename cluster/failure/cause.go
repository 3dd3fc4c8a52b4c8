package failure

import (
	"bytes"
	"fmt"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/staleness"
	"zproxy/encoding/keys"
	"zproxy/store"
	"zproxy/store/heat"
)

// cause is why a store has too much to do: the number that shows it, and what would help. Both are whole sentences with
// a space behind them, or nothing.
type cause struct{ number, remedy string }

// cause finds the cause by what this process asked for. Where nothing is known of that, it says what helps mostly.
func (n spaceName) cause(m *heat.Meter, b *store.Busy) cause {
	if b.Account {
		return cause{"The limit is that of the store's account, for all tables together. ",
			"A higher quota of the account allows more. "}
	}
	if n.table != nil && n.table.Foreign != nil {
		return cause{}
	}
	var r *heat.Report
	if n.table != nil {
		if r = m.Report(store.SpaceID(n.kept().ID)); r != nil && r.Sum() == 0 {
			r = nil
		}
	}
	switch {
	case !b.Hot && r == nil:
		return cause{}
	case !b.Hot && !n.concentrated(r, b):
		return n.unprovided(r)
	case r == nil || b.Partition == nil:
		return cause{remedy: n.shards(b.Partition)}
	}
	at := find(r.Keys(), b.Partition)
	if at == nil {
		return cause{"No single key of it has many requests. ", ""}
	}
	return n.crowded(r, at, b.Write)
}

// concentrated says whether a partition that was refused has most of the requests, and its space no bounds of its own.
// A store need not tell that it is the partition that is too busy: DynamoDB does not for a transaction.
func (n spaceName) concentrated(r *heat.Report, b *store.Busy) bool {
	given := catalog.CapacityOf(n.options())
	at := find(r.Keys(), b.Partition)
	return at != nil && 2*at.Sum() > r.Sum() && !given.Provisioned() && given.MostReadUnits == 0 &&
		given.MostWriteUnits == 0
}

// crowded is the cause of a partition with too many requests.
func (n spaceName) crowded(r *heat.Report, at *heat.Key, write bool) cause {
	share := percent(at.Sum(), r.Sum())
	if len(r.Partitions) == 0 {
		return cause{fmt.Sprintf("One hot key: it has %s of this process' requests for %s, %.0f a second. ", share, n,
			float64(at.Sum())/r.Seconds), n.single(write)}
	}
	if row := hottest(r.Items, at.Key); row != nil && 2*row.Sum() > at.Sum() {
		return cause{fmt.Sprintf("One hot key: %s has %s of this process' requests for the partition, %.0f a second. ",
			n.key(row.Key), percent(row.Sum(), at.Sum()), float64(row.Sum())/r.Seconds), n.single(write)}
	}
	return cause{fmt.Sprintf("Uneven data: the partition has %s of this process' requests for %s, spread over its rows, "+
		"%.0f a second. ", share, n, float64(at.Sum())/r.Seconds), n.shards(at.Key)}
}

// unprovided is the cause of a space as a whole.
func (n spaceName) unprovided(r *heat.Report) cause {
	number := fmt.Sprintf("More requests than are provided for: this process made %.0f reads and %.0f writes a second",
		float64(r.Reads)/r.Seconds, float64(r.Writes)/r.Seconds)
	given, alter := catalog.CapacityOf(n.options()), n.alter()
	switch {
	case given.Provisioned():
		return cause{fmt.Sprintf("%s; %d read units and %d write units a second are provisioned. ", number,
			given.ReadUnits, given.WriteUnits), alter + " ... SET (read_units = N, write_units = N) provides more. "}
	case given.MostReadUnits > 0 || given.MostWriteUnits > 0:
		return cause{fmt.Sprintf("%s; max_read_units is %d and max_write_units %d. ", number, given.MostReadUnits,
			given.MostWriteUnits), alter + " ... SET (max_read_units = N, max_write_units = N) allows more. "}
	}
	return cause{number + ". ", alter + " ... SET (warm_read_units = N, warm_write_units = N) prepares for more. "}
}

// single is what helps against too many writes or reads of one row or entry: shards do not.
func (n spaceName) single(write bool) string {
	if write {
		return "Writes to one row are spread if it becomes several rows, which are summed up when they are read. "
	}
	if n.index == nil && staleness.Of(n.table) == 0 {
		return "ALTER TABLE ... SET (cache = '1s') lets queries read rows of that age from memory. "
	}
	return ""
}

// shards says what would spread the rows of one partition over several.
func (n spaceName) shards(partition []byte) string {
	shards := 0
	if n.table != nil {
		if heavy := n.layout().Heavy(); heavy != nil && partition != nil {
			return n.heavier(heavy, partition)
		}
		for _, p := range n.layout().Partition {
			if p.Sharded() {
				shards = p.Count
			}
		}
	}
	if shards == 0 {
		return "Keys WITH (shards = N) would spread over N partitions. "
	}
	return "More shards than " + strconv.Itoa(shards) + " would spread the keys over more partitions. "
}

// moreShards is how many times as many shards a key gets that has too few.
const moreShards = 8

// heavier says how the key of one partition would have more shards.
func (n spaceName) heavier(heavy *catalog.Part, partition []byte) string {
	c, err := keys.NewCodec(n.table, n.layout())
	if err != nil {
		return ""
	}
	values := c.PartitionValues(partition)
	if len(values) == 0 || values[0].IsNull() {
		return "Keys WITH (shards = N) would spread over N partitions. "
	}
	has := heavy.HeavyShards(values[0])
	if has == catalog.MaxShards {
		return ""
	}
	shards := min(moreShards*has, catalog.MaxShards)
	heavy.SetHeavy(values[0], shards)
	return fmt.Sprintf("%s ... SET (%s) would spread this key over %d partitions, and keys WITH (shards = N) each one "+
		"over N. ", n.alter(), heavy.HeavySetting(n.table.Source(heavy.Column).Type), shards)
}

// alter is how a statement begins that changes the table or the index.
func (n spaceName) alter() string {
	if n.index != nil {
		return "ALTER INDEX"
	}
	return "ALTER TABLE"
}

// kept is the space of the table or the index.
func (n spaceName) kept() catalog.Space {
	if n.index != nil {
		return n.index.Space
	}
	return n.table.Space
}

func (n spaceName) options() map[string]string {
	if n.index != nil {
		return n.index.Options
	}
	return n.table.Options
}

// key names a row or an entry by the values of its key.
func (n spaceName) key(key []byte) string {
	c, err := keys.NewCodec(n.table, n.layout())
	if err != nil {
		return "a key"
	}
	return "key " + c.FormatKey(key)
}

func find(list []heat.Key, key []byte) *heat.Key {
	for i := range list {
		if bytes.Equal(list[i].Key, key) {
			return &list[i]
		}
	}
	return nil
}

// hottest is the item of a partition that has the most requests; the list has those first.
func hottest(list []heat.Key, partition []byte) *heat.Key {
	for i := range list {
		if bytes.HasPrefix(list[i].Key, partition) {
			return &list[i]
		}
	}
	return nil
}

func percent(n, of int64) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(max(of, 1))) }
