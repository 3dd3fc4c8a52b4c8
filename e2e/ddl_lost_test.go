package e2e

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestNoDefinitionIsLost changes one table from many sessions at once, each in its own way: all changes are there.
func TestNoDefinitionIsLost(t *testing.T) {
	onEvery(t, func(t *testing.T, s *server) {
		must(t, s.connect(t), "CREATE TABLE t (id int PRIMARY KEY)", "CREATE ROLE reader", "CREATE SEQUENCE q")
		const rounds = 8
		together(t, s, func(c *pgx.Conn, client int) {
			for i := range rounds {
				name := fmt.Sprintf("x_%d_%d", client, i)
				must(t, c, "BEGIN", "CREATE ROLE "+name, "GRANT SELECT ON t TO "+name, "COMMIT",
					"GRANT "+name+" TO reader", fmt.Sprintf("ALTER TABLE t ADD %s int DEFAULT nextval('q')", name),
					fmt.Sprintf("CREATE INDEX %[1]s_key ON t (%[1]s)", name), "ANALYZE t")
			}
		})
		c, want := s.connect(t), manyClients*rounds
		for _, sql := range []string{
			"SELECT count(*) FROM pg_attribute WHERE attrelid = 't'::regclass AND attname LIKE 'x%'",
			"SELECT count(*) FROM pg_class WHERE relkind = 'i' AND relname LIKE 'x%'",
			"SELECT count(*) FROM pg_class, aclexplode(relacl) a WHERE relname = 't' AND a.grantee > 16000",
			"SELECT count(*) FROM pg_auth_members WHERE member = 'reader'::regrole",
		} {
			if n := countOf(t, c, sql); n != want {
				t.Errorf("%s: %d of %d", sql, n, want)
			}
		}
	})
}
