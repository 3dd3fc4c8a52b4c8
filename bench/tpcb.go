package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	tpcbScale   = 2
	tpcbClients = 8
	tpcbTime    = 5 * time.Second
)

// measureTPCB runs pgbench's own transaction, in which all clients update one of two branches.
func measureTPCB(ctx context.Context, b *bench) (*section, error) {
	for _, s := range b.sides {
		if _, err := b.pgbench(ctx, s, "-i", "-q", "-s", strconv.Itoa(tpcbScale)); err != nil {
			return nil, err
		}
	}
	out := &section{unit: transactionsPerSecond, note: "failed", about: []string{
		fmt.Sprintf("pgbench itself, its transaction like TPC-B's, at scale %d by %d clients; %v a round. The sums of accounts, "+
			"tellers, branches and history agree in the end.", tpcbScale, tpcbClients, tpcbTime), synced}}
	for _, mode := range []string{"simple", "prepared"} {
		l, err := b.contest(mode+" protocol", func(side, _ int) (turnout, error) {
			text, err := b.pgbench(ctx, b.sides[side], "-n", "-M", mode, "-c", strconv.Itoa(tpcbClients), "-j", "2",
				"-T", strconv.Itoa(int(tpcbTime.Seconds())))
			if err != nil {
				return turnout{}, err
			}
			return parsePgbench(text)
		})
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, l)
	}
	for _, s := range b.sides {
		if err := checkSums(ctx, s); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return out, nil
}

// pgbench runs the program against a side.
func (b *bench) pgbench(ctx context.Context, s *side, args ...string) (string, error) {
	c, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		return "", err
	}
	args = append([]string{"-h", c.Host, "-p", strconv.Itoa(int(c.Port)), "-U", c.User}, append(args, c.Database)...)
	out, err := exec.CommandContext(ctx, filepath.Join(b.launch.postgresBin, "pgbench"), args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: pgbench: %w\n%s", s.name, err, out)
	}
	return string(out), nil
}

var (
	pgbenchProcessed = regexp.MustCompile(`number of transactions actually processed: (\d+)`)
	pgbenchFailed    = regexp.MustCompile(`number of failed transactions: (\d+)`)
	pgbenchRate      = regexp.MustCompile(`tps = ([0-9.]+)`)
)

// parsePgbench reads what pgbench says in the end. What it calls processed did not fail.
func parsePgbench(text string) (t turnout, err error) {
	var errs [3]error
	number := func(i int, what *regexp.Regexp) float64 {
		m := what.FindStringSubmatch(text)
		if m == nil {
			errs[i] = fmt.Errorf("pgbench does not tell %s:\n%s", what, text)
			return 0
		}
		var n float64
		n, errs[i] = strconv.ParseFloat(m[1], 64)
		return n
	}
	t = turnout{committed: int(number(0, pgbenchProcessed)), failed: int(number(1, pgbenchFailed)),
		perSecond: number(2, pgbenchRate)}
	return t, errors.Join(errs[:]...)
}

// checkSums wants what every transaction has added to four tables to be the same.
func checkSums(ctx context.Context, s *side) error {
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return err
	}
	defer closeAll([]*pgx.Conn{conn})
	var sums [4]int64
	if err := conn.QueryRow(ctx, "SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers), "+
		"(SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history)").
		Scan(&sums[0], &sums[1], &sums[2], &sums[3]); err != nil {
		return err
	}
	for _, sum := range sums {
		if sum != sums[0] {
			return fmt.Errorf("sums of accounts, tellers, branches and history differ: %d", sums)
		}
	}
	return nil
}
