package e2e

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestArraysInBinary sends and receives arrays as pgx does, in the binary format.
func TestArraysInBinary(t *testing.T) {
	ctx := context.Background()
	conn := openDB(t, inMemory).connect(t)
	if _, err := conn.Exec(ctx, "CREATE TABLE t (id int PRIMARY KEY, tags text[])"); err != nil {
		t.Fatal(err)
	}
	for id, tags := range [][]string{{"a", "b c"}, {}, nil} {
		if _, err := conn.Exec(ctx, "INSERT INTO t VALUES ($1, $2)", id, tags); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := conn.Query(ctx, "SELECT tags FROM t WHERE id = ANY ($1) ORDER BY id", []int32{2, 0, 1, 7})
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[[]string])
	if err != nil || len(got) != 3 || !slices.Equal(got[0], []string{"a", "b c"}) || got[1] == nil || got[2] != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
