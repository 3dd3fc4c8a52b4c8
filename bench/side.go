package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The dialects: what a server calls its indexes and upkeep.
const (
	zproxy   = "zproxy"
	postgres = "postgres"
)

// side is one of the two servers.
type side struct {
	name    string
	dialect string
	dsn     string
	version string
	process *process // nil where the server was running already
}

// resident is the memory that the server has now, in GB, if the system tells.
func (s *side) resident() (gb float64, ok bool) {
	if s.process == nil {
		return 0, false
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &gb); n == 1 {
			return gb / (1 << 20), true
		}
	}
	return 0, false
}

// start starts the server unless a running one was named, and asks for its version.
func (s *side) start(ctx context.Context, o launchOptions) (err error) {
	if s.dsn == "" {
		switch s.dialect {
		case zproxy:
			s.process, s.dsn, err = startZproxy(ctx, o)
		case postgres:
			s.process, s.dsn, err = startPostgres(ctx, o)
		default:
			err = fmt.Errorf("%q is neither %s nor %s", s.dialect, zproxy, postgres)
		}
		if err != nil {
			return err
		}
	}
	conn, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		s.stop()
		return err
	}
	s.version = conn.PgConn().ParameterStatus("server_version")
	return conn.Close(ctx)
}

// stop ends the server if it was started here. It says so when that fails; there is nothing else to do about it.
func (s *side) stop() {
	if s.process == nil {
		return
	}
	if err := s.process.stop(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: stop %s: %v\n", s.dialect, err)
	}
}

// nameSides gives the sides the names that the tables show.
func nameSides(sides [2]*side) {
	for _, s := range sides {
		s.name = "zproxy"
		if s.dialect == postgres {
			s.name = "PostgreSQL"
		}
	}
	if sides[0].name == sides[1].name {
		sides[0].name += " (A)"
		sides[1].name += " (B)"
	}
}

// connectSides opens a connection to each side, and says how to close both.
func (b *bench) connectSides(ctx context.Context) (conns [2]*pgx.Conn, closeBoth func(), err error) {
	var opened []*pgx.Conn
	closeBoth = func() { closeAll(opened) }
	for i, s := range b.sides {
		one, err := connectAll(ctx, s, 1)
		if err != nil {
			closeBoth()
			return conns, nil, err
		}
		opened, conns[i] = append(opened, one[0]), one[0]
	}
	return conns, closeBoth, nil
}

// connectPinned pins both sides to one core, see pinSides, and connects to them; done undoes both.
func (b *bench) connectPinned(ctx context.Context) (conns [2]*pgx.Conn, note string, done func(), err error) {
	note, unpin, err := pinSides(ctx, b.sides)
	if err != nil {
		return conns, "", nil, err
	}
	conns, closeBoth, err := b.connectSides(ctx)
	if err != nil {
		unpin()
		return conns, "", nil, err
	}
	return conns, note, func() { closeBoth(); unpin() }, nil
}

// copyBatch is the number of rows in one COPY, and so in one transaction.
const copyBatch = 100_000

// loading says how to make a table and fill it.
type loading struct {
	table     string
	before    []string // statements to run first
	columns   string
	rows      int
	appendRow func(text []byte, i int) []byte // appends row i in COPY's text format, with its newline
	after     []string                        // statements to run once the rows are in
}

// load makes the table anew and returns how long it took.
func load(ctx context.Context, conn *pgx.Conn, l loading) (time.Duration, error) {
	start := time.Now()
	create := []string{"DROP TABLE IF EXISTS " + l.table, "CREATE TABLE " + l.table + " " + l.columns}
	if err := execAll(ctx, conn, append(slices.Clone(l.before), create...)...); err != nil {
		return 0, err
	}
	var text []byte
	for from := 0; from < l.rows; from += copyBatch {
		text = text[:0]
		to := min(from+copyBatch, l.rows)
		for i := from; i < to; i++ {
			text = l.appendRow(text, i)
		}
		if err := copyText(ctx, conn, l.table, text, to-from); err != nil {
			return 0, err
		}
	}
	if err := execAll(ctx, conn, l.after...); err != nil {
		return 0, err
	}
	return time.Since(start), nil
}

// copyText copies rows in COPY's text format into a table.
func copyText(ctx context.Context, conn *pgx.Conn, table string, text []byte, rows int) error {
	tag, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(text), "COPY "+table+" FROM STDIN")
	if err != nil {
		return fmt.Errorf("COPY %s: %w", table, err)
	}
	if tag.RowsAffected() != int64(rows) {
		return fmt.Errorf("COPY %s of %d rows: %s", table, rows, tag)
	}
	return nil
}

func execAll(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// restTime is how long both sides are left alone after loading, so that neither still
// compacts or writes back what was loaded while it is measured.
const restTime = 20 * time.Second

// rest waits for the restTime.
func rest(ctx context.Context) error {
	select {
	case <-time.After(restTime):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// atRest returns the statements that leave a freshly loaded table at rest.
func (s *side) atRest(table string) []string {
	if s.dialect == postgres {
		return []string{"VACUUM ANALYZE " + table, "CHECKPOINT"}
	}
	return nil
}
