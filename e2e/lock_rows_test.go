package e2e

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// lockCases are statements of a block, and the rows of t that the last one locks.
var lockCases = []struct {
	statements []string
	locks      []int
}{
	{[]string{"SELECT id FROM t FOR UPDATE"}, []int{1, 2, 3, 4}},
	{[]string{"SELECT id FROM t WHERE p > 10 AND c <> 'y' FOR UPDATE"}, []int{3, 4}},
	{[]string{"SELECT id FROM t ORDER BY p DESC LIMIT 1 FOR UPDATE"}, []int{4}},
	{[]string{"SELECT id FROM t ORDER BY c, id OFFSET 1 LIMIT 2 FOR SHARE"}, []int{1, 2, 3}},
	{[]string{"SELECT id FROM t ORDER BY id LIMIT 0 FOR UPDATE"}, nil},
	{[]string{"SELECT t.id FROM t JOIN u ON t.id = u.id WHERE u.v > 1 FOR UPDATE OF t"}, []int{2, 3}},
	{[]string{"SELECT t.id FROM t JOIN u ON t.id = u.id FOR UPDATE OF u"}, nil},
	{[]string{"SELECT t.id FROM u LEFT JOIN t ON t.id = u.id WHERE t.p = 20 FOR UPDATE"}, []int{2}},
	{[]string{"SELECT n FROM picked WHERE n = 'row 3' FOR UPDATE"}, []int{3}},
	{[]string{"SELECT n FROM picked ORDER BY n DESC LIMIT 2 FOR UPDATE"}, []int{3, 4}},
	{[]string{"SELECT id FROM (SELECT * FROM t ORDER BY p LIMIT 2) s WHERE p > 10 FOR UPDATE"}, []int{1, 2}},
	{[]string{"SELECT s.id FROM (SELECT id FROM t FOR UPDATE) s WHERE id = 3"}, []int{3}},
	{[]string{"SELECT id FROM t WHERE id IN (SELECT id FROM t WHERE p = 40 FOR UPDATE)"}, []int{4}},
	{[]string{"DECLARE k CURSOR FOR SELECT id FROM t ORDER BY id FOR UPDATE", "FETCH 1 FROM k"}, []int{1}},
	{[]string{"DECLARE k CURSOR FOR SELECT id FROM t ORDER BY c, id FOR UPDATE", "FETCH 2 FROM k", "FETCH 1 FROM k"},
		[]int{1, 2, 3}},
	{[]string{
		"PREPARE q (int) AS SELECT id FROM t WHERE p = $1 AND id IN (SELECT id FROM u WHERE v >= $1 / 10) FOR SHARE",
		"EXECUTE q (20)", "DEALLOCATE q"}, []int{2}},
	{[]string{"PREPARE q (int) AS UPDATE t SET c = 'z' WHERE id = (SELECT max(id) FROM u WHERE v < $1)",
		"EXECUTE q (3)", "DEALLOCATE q"}, []int{2}},
}

// TestLocksWhatIsReturned locks rows in a block while each row is written by someone else, who must be in the way
// of it if the row is locked, and only then.
func TestLocksWhatIsReturned(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		c, other := s.connect(t), s.connect(t)
		must(t, c, "CREATE TABLE t (id int PRIMARY KEY, p int, c text)", "CREATE INDEX t_p ON t (p)",
			"CREATE TABLE u (id int PRIMARY KEY, v int)",
			"CREATE VIEW picked AS SELECT 'row ' || id AS n, p FROM t WHERE p > 0",
			"INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'y2'), (4, 40, 'z')",
			"INSERT INTO u VALUES (1, 1), (2, 2), (3, 3)")
		must(t, other, "SET lock_timeout = '100ms'")
		for _, x := range lockCases {
			for id := 1; id <= 4; id++ {
				if got := hinders(t, c, other, x.statements, id); got != slices.Contains(x.locks, id) {
					t.Errorf("%s: a write of row %d is in the way: %v", x.statements, id, got)
				}
			}
		}
	})
}

// hinders says whether a write of a row fails while statements of a block have locked rows, or makes the block fail.
func hinders(t *testing.T, c, other *pgx.Conn, statements []string, id int) bool {
	t.Helper()
	must(t, c, append([]string{"BEGIN"}, statements...)...)
	if run(other, fmt.Sprintf("UPDATE t SET p = p WHERE id = %d", id)) != nil {
		must(t, c, "ROLLBACK")
		return true
	}
	tag, err := c.Exec(context.Background(), "COMMIT")
	return err != nil || tag.String() != "COMMIT"
}

// TestLockedViews locks rows of views, whose columns stay those of the views.
func TestLockedViews(t *testing.T) {
	s := openDB(t, inMemory)
	c := s.connect(t)
	must(t, c, "CREATE TABLE t (id int PRIMARY KEY, p int)", "INSERT INTO t VALUES (1, 10), (2, 20)",
		"CREATE VIEW picked AS SELECT id, p + 1 AS q FROM t WHERE p > 10",
		"CREATE VIEW united AS SELECT id FROM t UNION ALL SELECT p FROM t",
		"CREATE VIEW above AS SELECT b.id FROM (SELECT * FROM united) b, picked")
	for _, sql := range []string{"SELECT id, q FROM picked", "SELECT * FROM picked v (x) WHERE x = 2",
		"SELECT v FROM picked v", "SELECT * FROM united", "SELECT * FROM above"} {
		plain, locked := c.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, nil).Read(),
			c.PgConn().ExecParams(t.Context(), sql+" FOR UPDATE", nil, nil, nil, nil).Read()
		if plain.Err != nil || locked.Err != nil || !reflect.DeepEqual(plain.Rows, locked.Rows) ||
			!reflect.DeepEqual(plain.FieldDescriptions, locked.FieldDescriptions) {
			t.Errorf("%s\n%+v\n%+v", sql, plain, locked)
		}
	}
}
