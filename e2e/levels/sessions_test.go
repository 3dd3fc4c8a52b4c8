package levels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/anomaly"
)

// patience is how long a statement may take without waiting for a lock.
const patience = time.Minute

// script plays schedules on a server.
type script struct {
	t     *testing.T
	url   string
	setup string
	// differs says that a schedule ends where a session still waits that does not on PostgreSQL.
	differs bool
}

// schedule is one that is being played.
type schedule struct {
	*script
	level    anomaly.Level
	control  *pgx.Conn
	sessions map[string]*sessionOf
	out      strings.Builder
}

// sessionOf is a session of a schedule.
type sessionOf struct {
	name    string
	conn    *pgconn.PgConn
	answers chan string // of the statement that is running
	waits   bool
}

// play runs a schedule at a level, and returns what is answered.
func (s *script) play(level anomaly.Level, text string) string {
	s.t.Helper()
	p := s.begin(level)
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "--") {
			continue
		}
		if s.differs && p.stuck(line) {
			fmt.Fprintf(&p.out, "still waits: %s\n", line)
			break
		}
		p.step(line)
	}
	p.end()
	return p.out.String()
}

// begin makes what a schedule begins with.
func (s *script) begin(level anomaly.Level) *schedule {
	s.t.Helper()
	p := &schedule{script: s, level: level, control: connect(s.t, s.url), sessions: map[string]*sessionOf{}}
	must(s.t, p.control, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public", s.setup)
	return p
}

// step runs a statement, and then looks which of those that waited go on.
func (p *schedule) step(line string) {
	head, sql, ok := strings.Cut(line, ": ")
	name, through, _ := strings.Cut(head, " ")
	if _, err := strconv.Atoi(name); !ok || err != nil || through != "" && through != "through" {
		p.t.Fatalf("what is %q", line)
	}
	s := p.session(name)
	if s.waits {
		p.t.Fatalf("%q cannot run: the session waits\n%s", line, p.out.String())
	}
	s.answers = make(chan string, 1)
	go func() { s.answers <- answer(s.conn, sql) }()
	switch text, ended := p.await(s, through == ""); {
	case ended:
		fmt.Fprintf(&p.out, "%s: %s\n", s.name, text)
	default:
		s.waits = true
		fmt.Fprintf(&p.out, "%s waits: %s\n", s.name, sql)
	}
	p.resume()
}

// stuck says whether the session of a line waits.
func (p *schedule) stuck(line string) bool {
	name, _, _ := strings.Cut(line, ":")
	s := p.sessions[name]
	return s != nil && s.waits
}

// resume prints the answers of statements that wait no longer.
func (p *schedule) resume() {
	for _, name := range p.names() {
		s := p.sessions[name]
		if !s.waits {
			continue
		}
		if text, ended := p.await(s, true); ended {
			s.waits = false
			fmt.Fprintf(&p.out, "%s goes on: %s\n", s.name, text)
		}
	}
}

func (p *schedule) names() (out []string) {
	for name := range p.sessions {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// await returns the answer of a running statement, or that it waits for another session, if that is of interest.
func (p *schedule) await(s *sessionOf, interested bool) (text string, ended bool) {
	p.t.Helper()
	for limit := time.After(patience); ; {
		select {
		case text := <-s.answers:
			return text, true
		case <-limit:
			p.t.Fatalf("session %s neither ends nor waits for another\n%s", s.name, p.out.String())
		default:
		}
		var blocked bool
		if err := p.control.QueryRow(context.Background(), "SELECT cardinality(pg_blocking_pids($1)) > 0",
			int32(s.conn.PID())).Scan(&blocked); err != nil {
			p.t.Fatal(err)
		}
		if blocked && interested {
			return "", false
		}
	}
}

// session is one by its name, which begins when it is first met.
func (p *schedule) session(name string) *sessionOf {
	if s := p.sessions[name]; s != nil {
		return s
	}
	c := connect(p.t, p.url)
	must(p.t, c, "SET default_transaction_isolation = '"+p.level.String()+"'")
	p.sessions[name] = &sessionOf{name: name, conn: c.PgConn()}
	return p.sessions[name]
}

// end ends all sessions. A statement that waits is cancelled.
func (p *schedule) end() {
	ctx := context.Background()
	defer func() { _ = p.control.Close(ctx) }()
	for _, name := range p.names() {
		s := p.sessions[name]
		if s.waits {
			_ = s.conn.CancelRequest(ctx)
			<-s.answers
		}
		_ = s.conn.Close(ctx)
	}
}

// answer runs a statement and tells its rows or tag, or its error.
func answer(c *pgconn.PgConn, sql string) string {
	results, err := c.Exec(context.Background(), sql).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return fmt.Sprintf("ERROR %s: %s", e.Code, e.Message)
	case err != nil:
		return err.Error()
	}
	var out []string
	for _, r := range results {
		var rows []string
		for _, row := range r.Rows {
			var cells []string
			for _, cell := range row {
				cells = append(cells, string(cell))
			}
			rows = append(rows, "("+strings.Join(cells, ",")+")")
		}
		out = append(out, strings.Join(append([]string{r.CommandTag.String()}, rows...), " "))
	}
	return strings.Join(out, "; ")
}
