package e2e

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"zproxy/internal/indextest"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store/pebblestore"
	"zproxy/wire"
)

// TestTablesOfTheirOwn lets sessions define, fill and change tables that no other session knows, at once: none of them
// is in the way of another, also where its statement cannot run again.
func TestTablesOfTheirOwn(t *testing.T) {
	st, err := pebblestore.Open(t.TempDir(), pebblestore.Options{CacheBytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	indextest.AtEnd(t, st)
	address := testserver.Start(t, st, session.Options{}, wire.Options{}).Address
	g, ctx := errgroup.WithContext(t.Context())
	for range 8 {
		g.Go(func() error {
			conn, err := pgx.Connect(ctx, "postgres://postgres@"+address+"/postgres")
			if err != nil {
				return err
			}
			defer conn.Close(ctx)
			for range 40 {
				_, err := conn.Exec(ctx, "CREATE TEMPORARY TABLE own (k int PRIMARY KEY, v text)")
				if err != nil {
					return err
				}
				rows := pgx.CopyFromRows([][]any{{1, "a"}, {2, nil}})
				if _, err := conn.CopyFrom(ctx, pgx.Identifier{"own"}, []string{"k", "v"}, rows); err != nil {
					return err
				}
				for _, statement := range []string{"ALTER TABLE own DROP COLUMN k", "DROP TABLE own"} {
					if _, err := conn.Exec(ctx, statement); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}
