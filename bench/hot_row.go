package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	hotClients   = 16
	hotTime      = 3 * time.Second
	hotIncrement = "UPDATE counter SET n = n + 1 WHERE id = 1"
)

// measureHotRow has many clients increment one counter, and wants it to be the number of commits.
func measureHotRow(ctx context.Context, b *bench) (*section, error) {
	var conns [2][]*pgx.Conn
	for i, s := range b.sides {
		var err error
		if conns[i], err = connectAll(ctx, s, hotClients); err != nil {
			return nil, err
		}
		defer closeAll(conns[i])
		if err := execAll(ctx, conns[i][0], "DROP TABLE IF EXISTS counter",
			"CREATE TABLE counter (id int PRIMARY KEY, n int)", "INSERT INTO counter VALUES (1, 0)"); err != nil {
			return nil, err
		}
	}
	out := &section{unit: transactionsPerSecond, note: "failed", about: []string{
		fmt.Sprintf("`%s` by %d clients, prepared; %v a round. The counter was the number of commits after each.",
			hotIncrement, hotClients, hotTime), synced}}
	for _, kind := range []struct {
		name string
		run  func(context.Context, *pgx.Conn) error
	}{
		{"a statement by itself", increment},
		{"between BEGIN and COMMIT", func(ctx context.Context, conn *pgx.Conn) error {
			return inBlock(ctx, conn, func() error { return increment(ctx, conn) })
		}},
	} {
		l, err := b.contest(kind.name, func(side, _ int) (turnout, error) {
			return count(ctx, conns[side], kind.run)
		})
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, l)
	}
	return out, nil
}

func increment(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, hotIncrement)
	return err
}

// count lets clients increment for a while, from 0.
func count(ctx context.Context, conns []*pgx.Conn, run func(context.Context, *pgx.Conn) error) (turnout, error) {
	if err := execAll(ctx, conns[0], "UPDATE counter SET n = 0"); err != nil {
		return turnout{}, err
	}
	t, err := transact(ctx, len(conns), hotTime, func(ctx context.Context, client int) (bool, error) {
		return true, run(ctx, conns[client])
	})
	if err != nil {
		return t, err
	}
	var n int
	if err := conns[0].QueryRow(ctx, "SELECT n FROM counter").Scan(&n); err != nil {
		return t, err
	}
	if n != t.committed {
		return t, fmt.Errorf("the counter is %d after %d commits", n, t.committed)
	}
	return t, nil
}
