package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestCopyIntoPartitions loads rows of several partitions at once. An error names the line of its row, whichever
// partition that goes to, and leaves no row of a partition in another one.
func TestCopyIntoPartitions(t *testing.T) {
	const astray = `SELECT count(*) FILTER (WHERE at >= 10),
		(SELECT count(*) FILTER (WHERE at < 10 OR at >= 20) FROM parts_2),
		(SELECT count(*) FILTER (WHERE at < 20) FROM parts_3) FROM parts_1`
	for _, k := range append([]kind{onFake}, kinds...) {
		t.Run(k.name, func(t *testing.T) {
			c := openDB(t, k).connect(t).PgConn()
			must := func(sql, want string) {
				t.Helper()
				if got := spoken(t.Context(), c, sql); got != want {
					t.Errorf("%s: %s", sql, got)
				}
			}
			must(`CREATE TABLE parts (at int, id int, n int CHECK (n < 9), PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
				CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
				CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
				CREATE TABLE parts_3 PARTITION OF parts FOR VALUES FROM (20) TO (30);
				CREATE INDEX ON parts (n)`, "")
			load := func(lines []string) error {
				data := strings.NewReader(strings.Join(lines, "\n") + "\n")
				_, err := c.CopyFrom(t.Context(), data, "COPY parts FROM STDIN")
				return err
			}
			var lines []string
			for i := range 3000 {
				lines = append(lines, fmt.Sprintf("%d\t%d\t%d", i%30, i, i%9))
			}
			if err := load(lines); err != nil {
				t.Fatal(err)
			}
			for _, table := range []string{"parts_1", "parts_2", "parts_3"} {
				must("SELECT count(*) FROM "+table, "1000|")
			}
			must(astray, "0|0|0|")
			for _, bad := range []struct{ line, code string }{
				{"30\t9000\t1", "23514"}, {"25\t9000\t9", "23514"}, {"7\t7\t1", "23505"}, {"x\t9000\t1", "22P02"},
			} {
				var all []string
				for i := range 40 {
					all = append(all, fmt.Sprintf("%d\t%d\t%d", i%30, 5000+i, i%9))
				}
				all[26] = bad.line
				var e *pgconn.PgError
				err := load(all)
				if !errors.As(err, &e) || e.Code != bad.code || !strings.Contains(e.Where, "COPY parts, line 27") {
					t.Errorf("%q: %v", bad.line, err)
				}
				must(astray, "0|0|0|")
				must("SELECT count(*) FROM parts WHERE id = 9000", "0|")
				must("DELETE FROM parts WHERE id BETWEEN 5000 AND 6000", "")
			}
			must("SELECT count(*) FROM parts", "3000|")
		})
	}
}
