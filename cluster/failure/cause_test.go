package failure_test

import (
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/cluster/failure"
	"zproxy/encoding/keys"
	"zproxy/store"
	"zproxy/store/heat"
	"zproxy/types"
)

// unread is a transaction to which nothing happens.
type unread struct{ store.Txn }

func (unread) Put(*store.Space, store.Item, store.Guard) error { return nil }

// writes counts writes of a row, by the values of all columns of the table.
func writes(t *testing.T, m *heat.Meter, table *catalog.Table, times int, row ...int64) store.Key {
	t.Helper()
	c, err := keys.NewCodec(table, &table.Primary)
	if err != nil {
		t.Fatal(err)
	}
	values := make(types.Row, len(row))
	for i, n := range row {
		values[i] = types.NewInt(n)
	}
	key, txn := c.Key(values), m.Watch(unread{}, &heat.Txn{})
	for range times {
		if err := txn.Put(table.TableSpace(), store.Item{Key: key}, store.Always); err != nil {
			t.Fatal(err)
		}
	}
	return key
}

// causeCase is a store that is too busy, after what was asked for, and a part of what a client learns.
type causeCase struct {
	name  string
	table *catalog.Table
	ask   func(m *heat.Meter) *store.Busy
	want  string
}

// ofPartitions are causes at one partition.
func ofPartitions(t *testing.T, rows, events *catalog.Table) []causeCase {
	return []causeCase{
		{"one row of many", rows, func(m *heat.Meter) *store.Busy {
			writes(t, m, rows, 20, 8, 0)
			return &store.Busy{Hot: true, Write: true, Partition: writes(t, m, rows, 80, 7, 0).Partition}
		}, `53400 too many requests for partition (id = 7) of table "t" | One hot key: it has 80 % of this process' requests for table "t", 8 a second. ` +
			"The store says: r. | Writes to one row are spread if it becomes several rows, which are summed up when they are read. "},
		{"one row of a partition", events, func(m *heat.Meter) *store.Busy {
			writes(t, m, events, 10, 7, 1)
			return &store.Busy{Hot: true, Write: true, Partition: writes(t, m, events, 30, 7, 2).Partition}
		}, `53400 too many requests for partition (tenant = 7) of table "events" | One hot key: key /7/2 has 75 % of this process' requests for the partition, ` +
			"3 a second. The store says: r. | Writes to one row are spread"},
		{"many rows of a partition", events, func(m *heat.Meter) *store.Busy {
			for i := range int64(50) {
				writes(t, m, events, 1, 7, i)
			}
			return &store.Busy{Hot: true, Partition: partitionOf(t, events, &events.Primary, 7, 0)}
		}, `53400 too many requests for partition (tenant = 7) of table "events" | Uneven data: the partition has 100 % of this process' requests for table "events", ` +
			"spread over its rows, 5 a second. The store says: r. | ALTER TABLE ... SET (heavy_keys = '{\"7\": 8}') would spread this key over 8 partitions, "},
		{"a transaction, of which the store does not tell", events, func(m *heat.Meter) *store.Busy {
			return &store.Busy{Write: true, Partition: writes(t, m, events, 30, 7, 2).Partition}
		}, `53000 too many requests for table "events" | One hot key: key /7/2 has 100 % of this process' requests for the partition, ` +
			"3 a second. The store says: r. | Writes to one row are spread"},
		{"one row that is read", rows, func(m *heat.Meter) *store.Busy {
			return &store.Busy{Hot: true, Partition: writes(t, m, rows, 80, 7, 0).Partition}
		}, "The store says: r. | ALTER TABLE ... SET (cache = '1s') lets queries read rows of that age from memory. "},
		{"a partition that others ask for", rows, func(m *heat.Meter) *store.Busy {
			writes(t, m, rows, 5, 1, 0)
			return &store.Busy{Hot: true, Partition: []byte("x")}
		}, `| No single key of it has many requests. The store says: r. | The transaction`},
	}
}

// ofSpaces are causes at a table as a whole, or at all tables.
func ofSpaces(t *testing.T, rows *catalog.Table) []causeCase {
	provisioned := *rows
	provisioned.Options = map[string]string{"billing": "provisioned", "read_units": "100", "write_units": "50"}
	bounded := *rows
	bounded.Options = map[string]string{"max_write_units": "9"}
	return []causeCase{
		{"provisioned", &provisioned, func(m *heat.Meter) *store.Busy {
			writes(t, m, rows, 40, 1, 0)
			return &store.Busy{}
		}, `53000 too many requests for table "t" | More requests than are provided for: this process made 0 reads and 4 writes a second; ` +
			"100 read units and 50 write units a second are provisioned. The store says: r. | ALTER TABLE ... SET (read_units = N, write_units = N) provides more. "},
		{"bounded", &bounded, func(m *heat.Meter) *store.Busy {
			writes(t, m, rows, 40, 1, 0)
			return &store.Busy{}
		}, "a second; max_read_units is 0 and max_write_units 9. The store says: r. | ALTER TABLE ... SET (max_read_units = N, max_write_units = N) allows more. "},
		{"by request", rows, func(m *heat.Meter) *store.Busy {
			writes(t, m, rows, 40, 1, 0)
			return &store.Busy{}
		}, "4 writes a second. The store says: r. | ALTER TABLE ... SET (warm_read_units = N, warm_write_units = N) prepares for more. "},
		{"of the account", rows, func(m *heat.Meter) *store.Busy {
			writes(t, m, rows, 40, 1, 0)
			return &store.Busy{Account: true}
		}, `53000 too many requests for table "t" | The limit is that of the store's account, for all tables together. ` +
			"The store says: r. | A higher quota of the account allows more. "},
	}
}

// TestCauses tells the causes of throttling apart by what was asked for.
func TestCauses(t *testing.T) {
	snap := snapshot(t)
	rows, events := snap.Table("public", "t"), snap.Table("public", "events")
	for _, c := range append(ofPartitions(t, rows, events), ofSpaces(t, rows)...) {
		now := time.Unix(6000, 0)
		m := heat.NewMeter(func() time.Time { return now })
		busy := c.ask(m)
		busy.Space, busy.Reason = c.table.Space.Name, "r"
		now = now.Add(10 * time.Second)
		k := failure.Known{Catalog: snap.With(c.table), Heat: m}
		if got := shown(failure.Explain(t.Context(), k, busy)); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}
