package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/types"
)

// TestSortedRowsSpreadOverShards copies rows in the order of their key (spanner-34, tablestore-26), and wants none
// of the shards to have more than 1.2 times as many as it would have if all had the same, in the
// table and in its indexes.
func TestSortedRowsSpreadOverShards(t *testing.T) {
	const rows = 100_000
	for _, c := range []struct {
		name, create string
		indexes      []string
		row          func(i int) string
	}{
		{
			"numbers", "CREATE TABLE t (id int8 PRIMARY KEY, a int4, b int4) WITH (shards = 16)",
			[]string{
				"CREATE INDEX sixteen ON t (a) WITH (shards = 16)",
				"CREATE UNIQUE INDEX own_columns ON t (a, id) WITH (shards = 7)",
				"CREATE INDEX curve ON t USING zorder (a, b) WITH (shards = 4)",
			},
			func(i int) string { return fmt.Sprintf("%d\t%d\t7\n", i, i) },
		},
		{
			"seconds", "CREATE TABLE t (at timestamptz PRIMARY KEY) WITH (shards = 16)", nil,
			func(i int) string {
				return time.Unix(1_800_000_000+int64(i), 0).UTC().Format("2006-01-02 15:04:05+00\n")
			},
		},
		{
			"texts", "CREATE TABLE t (code text PRIMARY KEY) WITH (shards = 64)", nil,
			func(i int) string { return fmt.Sprintf("customer-%06d\n", i) },
		},
		{
			"uuids", "CREATE TABLE t (id uuid PRIMARY KEY) WITH (shards = 16)", nil,
			func(i int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012x\n", i) },
		},
		{
			"partitions", "CREATE TABLE t (city int4, n int4, PRIMARY KEY (city, n)) PARTITION BY HASH (city) WITH (shards = 10)", nil,
			func(i int) string { return fmt.Sprintf("%d\t%d\n", i/10_000, i) },
		},
		{
			"digits of md5", "CREATE TABLE t (number int8 PRIMARY KEY) WITH (partition_key = '{md5(number || E''\\n''):4}{number}')", nil,
			func(i int) string { return fmt.Sprintf("%d\n", 200_001+i) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openDB(t, inMemory)
			conn := s.connect(t)
			must(t, conn, append([]string{c.create}, c.indexes...)...)
			var text bytes.Buffer
			for i := range rows {
				text.WriteString(c.row(i))
			}
			if _, err := conn.PgConn().CopyFrom(t.Context(), &text, "COPY t FROM STDIN"); err != nil {
				t.Fatal(err)
			}
			for name, counts := range s.shards(t, "t") {
				largest, even := slices.Max(counts), float64(rows)/float64(len(counts))
				t.Logf("%s: %d shards, the largest has %.3f times an even share: %v", name, len(counts),
					float64(largest)/even, counts)
				if total(counts) != rows {
					t.Errorf("%s: %d rows are in shards, want %d", name, total(counts), rows)
				}
				if float64(largest) > 1.2*even {
					t.Errorf("%s: a shard has %d rows, an even share is %.0f", name, largest, even)
				}
			}
		})
	}
}

func total(counts []int) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return sum
}

// shards counts the items in each shard of a table and of its indexes, all of which have shards.
func (s *server) shards(t *testing.T, name string) map[string][]int {
	txn, err := s.store.Begin(t.Context(), store.Mode{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	snap, err := catalogstore.Load(t.Context(), txn)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string][]int{}
	for _, table := range snap.Tables() {
		if table.Name != name {
			continue
		}
		counts["primary key"] = countShards(t, txn, table, &table.Primary, table.TableSpace())
		for i := range table.Indexes {
			x := &table.Indexes[i]
			counts[x.Name] = countShards(t, txn, table, &x.Layout, table.IndexSpace(x))
		}
	}
	return counts
}

func countShards(t *testing.T, txn store.Txn, table *catalog.Table, l *catalog.Layout, space *store.Space) []int {
	codec, err := keys.NewCodec(table, l)
	if err != nil {
		t.Fatal(err)
	}
	spans := shardSpans(l)
	counts := make([]int, len(spans))
	for shard, one := range spans {
		for _, r := range codec.Ranges([]span.Span{one}, true) {
			for batch, err := range txn.Scan(t.Context(), space, &store.Scan{Range: r, Stats: &store.Stats{}}) {
				if err != nil {
					t.Fatal(err)
				}
				counts[shard] += batch.Len()
			}
		}
	}
	return counts
}

// shardSpans are the shards of a layout or, of one that begins with a hexadecimal text, what
// begins with each of its digits.
func shardSpans(l *catalog.Layout) (spans []span.Span) {
	if l.Partition[0].Kind == part.Text {
		const digits = "0123456789abcdefg"
		for i := range 16 {
			spans = append(spans, span.Span{Last: &span.Interval{
				Low: types.NewText(digits[i : i+1]), High: types.NewText(digits[i+1 : i+2]), HighOpen: true,
			}})
		}
		return spans
	}
	for shard := range l.Partition[0].Count {
		spans = append(spans, span.Span{Prefix: []types.Value{types.NewInt(int64(shard))}})
	}
	return spans
}
