package isolation

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// world is a server with a connection for each session of a spec.
type world struct {
	url     string
	control *client
	clients []*client
	blocked string // SQL of a boolean: whether the process $1 waits for a lock of one of the processes $2
}

// client is the connection of a session.
type client struct {
	name string
	conn *pgconn.PgConn
	pids map[string]string // of all sessions, their names by number of the process

	mu            sync.Mutex
	notices       []string // since they were taken
	notifications []string
	noticed       int // how many notices there were since the connection began
}

// connect opens what is not open: a step may have ended its own connection.
func (w *world) connect(t testing.TB, s *spec) {
	t.Helper()
	if w.control == nil {
		w.control = w.dial(t, "control")
		w.clients = make([]*client, len(s.sessions))
	}
	for i, one := range s.sessions {
		if w.clients[i] == nil || w.clients[i].conn.IsClosed() {
			w.clients[i] = w.dial(t, one.name)
		}
	}
	pids := map[string]string{}
	for _, c := range w.clients {
		pids[c.pid()] = c.name
	}
	for _, c := range w.clients {
		c.pids = pids
	}
}

func (w *world) dial(t testing.TB, name string) *client {
	t.Helper()
	c := &client{name: name}
	config, err := pgconn.ParseConfig(w.url)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice, config.OnNotification = c.onNotice, c.onNotification
	if c.conn, err = pgconn.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.conn.Close(context.Background()) })
	return c
}

func (c *client) pid() string { return strconv.Itoa(int(c.conn.PID())) }

func (c *client) onNotice(_ *pgconn.PgConn, n *pgconn.Notice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noticed++
	c.notices = append(c.notices, n.Severity+": "+n.Message)
}

func (c *client) onNotification(_ *pgconn.PgConn, n *pgconn.Notification) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, ok := c.pids[strconv.Itoa(int(n.PID))]
	if !ok {
		from = "another process"
	}
	c.notifications = append(c.notifications, fmt.Sprintf("%s %q from %s", n.Channel, n.Payload, from))
}

// count is how many notices there were.
func (c *client) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.noticed
}

// take fills an event with the notices and notifications that have come.
func (c *client) take(e event) event {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Notices, e.Notifications = c.notices, c.notifications
	c.notices, c.notifications = nil, nil
	return e
}

// send sends SQL. Its answers are received from the channel once they are complete.
func (c *client) send(ctx context.Context, sql string) <-chan []answer {
	out := make(chan []answer, 1)
	go func() { out <- c.run(ctx, sql) }()
	return out
}

// run sends SQL and reads what it answers.
func (c *client) run(ctx context.Context, sql string) (out []answer) {
	results := c.conn.Exec(ctx, sql)
	for results.NextResult() {
		if a := readAnswer(results.ResultReader(), c.pids); a.Tag != "" {
			out = append(out, a)
		}
	}
	var failed *pgconn.PgError
	switch err := results.Close(); {
	case errors.As(err, &failed):
		out = append(out, answer{Code: failed.Code, Message: failed.Message})
	case err != nil:
		out = append(out, answer{Code: "08000", Message: err.Error()})
	}
	return out
}

// waits says whether the server says that a session waits for another one.
func (w *world) waits(ctx context.Context, c *client) (bool, error) {
	pids := "{"
	for i, other := range w.clients {
		if i > 0 {
			pids += ","
		}
		pids += other.pid()
	}
	r := w.control.conn.ExecParams(ctx, w.blocked, [][]byte{[]byte(c.pid()), []byte(pids + "}")}, nil, nil, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		return false, fmt.Errorf("%s: %d rows, %w", w.blocked, len(r.Rows), r.Err)
	}
	return string(r.Rows[0][0]) == "t", nil
}

// abandon breaks all connections, also those that wait for an answer. The next permutation has new ones.
func (w *world) abandon() {
	for _, c := range append(w.clients, w.control) {
		_ = c.conn.Conn().Close()
	}
	w.control, w.clients = nil, nil
}
