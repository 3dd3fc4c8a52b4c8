package e2e

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// keyDesigns are ways to keep a table whose primary key is a number and a name.
var keyDesigns = []struct{ name, options string }{
	{"partition and sort key", ""},
	{"two columns", "PARTITION BY HASH (number, name)"},
	{"shards", "WITH (shards = 10)"},
	{"random shards", "WITH (shards = 10, shard_by = 'random')"},
	{"text with a shard", "WITH (shards = 10, partition_key = '{number}-{shard}')"},
	{"text with a random shard", "WITH (shards = 10, shard_by = 'random', partition_key = '{number}-{shard}')"},
	{"texts of both parts", "WITH (item_keys = 'text', partition_key = '{number}', sort_key = 'at-{name}')"},
	{"joined text", "WITH (partition_key = '{number:06},{name}')"},
	{"hashed text", "WITH (partition_key = '{md5(number || E''\\n''):4}{number}')"},
}

// TestOneInsertWinsInEveryDesign inserts the same keys from many connections, and in two
// transactions that are open at once: without a sequence, and wherever its row may lie, a
// key is taken by one of them, and nothing is overwritten (partition-26).
func TestOneInsertWinsInEveryDesign(t *testing.T) {
	for _, k := range append(slices.Clone(kinds), onFake) {
		s := openDB(t, k)
		for _, d := range keyDesigns {
			t.Run(k.name+"/"+d.name, func(t *testing.T) {
				a, b := s.connect(t), s.connect(t)
				must(t, a, "DROP TABLE IF EXISTS k",
					"CREATE TABLE k (number int, name text, by_whom int, PRIMARY KEY (number, name)) "+d.options)

				must(t, a, "BEGIN; INSERT INTO k VALUES (7, 'both', 1)")
				must(t, b, "BEGIN; INSERT INTO k VALUES (8, 'lost', 2)")
				waited := make(chan error, 1)
				go func() { waited <- run(b, "INSERT INTO k VALUES (7, 'both', 2)") }()
				must(t, a, "COMMIT")
				if err := <-waited; codeOf(err) != "23505" {
					t.Errorf("the second insert says %v", err)
				}
				must(t, b, "ROLLBACK")
				refused(t, b, "INSERT INTO k VALUES (7, 'both', 2)", "23505")
				if n := countOf(t, a, "SELECT count(*) FROM k WHERE name = 'lost' OR by_whom <> 1"); n != 0 {
					t.Errorf("%d rows of the transaction that lost", n)
				}

				var won [10]atomic.Int64 // the client that did, from 1 on
				together(t, s, func(c *pgx.Conn, client int) {
					for key := range won {
						err := run(c, fmt.Sprintf("INSERT INTO k VALUES (%d, 'one', %d)", key, client+1))
						switch {
						case err == nil && !won[key].CompareAndSwap(0, int64(client+1)):
							t.Errorf("%d was inserted twice", key)
						case err != nil && codeOf(err) != "23505":
							t.Error(err)
						}
					}
				})
				for key := range won {
					if n := countOf(t, a, fmt.Sprintf("SELECT sum(by_whom) FROM k WHERE number = %d AND name = 'one'",
						key)); int64(n) != won[key].Load() {
						t.Errorf("%d is of client %d, and client %d was told so", key, n, won[key].Load())
					}
				}
			})
		}
	}
}
