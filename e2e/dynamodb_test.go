package e2e

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamolocal"
)

// TestDynamoDB plays scripts on DynamoDB Local. Plans show read units there.
func TestDynamoDB(t *testing.T) {
	endpoint := dynamolocal.Start(t)
	datadriven.Walk(t, "testdata/dynamodb", func(t *testing.T, path string) {
		st := checkedLocal(t, endpoint, filepath.Base(path))
		play(t, path, "dynamodb", serve(t, st, session.Options{Shared: true}).url())
	})
}

// checkedLocal opens a store on DynamoDB Local whose indexes are compared with their rows at the end.
func checkedLocal(t *testing.T, endpoint, prefix string) *dynamostore.Store {
	t.Helper()
	st, err := dynamostore.Open(t.Context(), dynamostore.Options{Endpoint: endpoint, TablePrefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	indextest.AtEnd(t, st)
	return st
}

// TestDynamoDBLoad loads more rows than a transaction takes, into tables of which indexes are kept in all
// ways, and then some that are there already.
func TestDynamoDBLoad(t *testing.T) {
	st := checkedLocal(t, dynamolocal.Start(t), "load")
	c := connect(t, serve(t, st, session.Options{Shared: true}).url())
	for table, ddl := range map[string]string{
		"bare": "", "indexed": "; CREATE INDEX ON indexed (a); CREATE UNIQUE INDEX ON indexed (b)",
		"once": " WITH (mutability = 'IMMUTABLE'); CREATE INDEX ON once (a)",
	} {
		must(t, c, "CREATE TABLE "+table+" (k int PRIMARY KEY, a int, b text)"+ddl)
		load := func(from, to int) (string, error) {
			var data strings.Builder
			for k := from; k <= to; k++ {
				fmt.Fprintf(&data, "%d\t%d\tb%d\n", k, k%7, k)
			}
			tag, err := c.PgConn().CopyFrom(t.Context(), strings.NewReader(data.String()), "COPY "+table+" FROM STDIN")
			return tag.String(), err
		}
		if tag, err := load(1, 1500); err != nil || tag != "COPY 1500" {
			t.Fatalf("%s: %s, %#v", table, tag, err)
		}
		_, err := load(1500, 1700)
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "23505" || e.Where != "COPY "+table+", line 1" {
			t.Fatalf("%s: %v, %+v", table, err, e)
		}
		var rows, written int
		if err := c.QueryRow(t.Context(), "SELECT count(*) - 1500 FROM "+table).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		_, progress, _ := strings.Cut(e.Detail, "\n")
		if progress == "" && rows == 0 {
			continue
		}
		// The outcome of a commit is not known where the emulator was slow.
		progress, least := strings.CutPrefix(progress, "At least ")
		_, err = fmt.Sscanf(progress, "%d rows were written.", &written)
		if err != nil || written > rows || !least && written != rows {
			t.Errorf("%s: %q, and there are %d", table, e.Detail, rows)
		}
	}
}
