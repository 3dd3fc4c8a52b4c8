package wire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session"
	"zproxy/store/memstore"
)

// locked is a log that several goroutines write.
type locked struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(p)
}

// TestRolesAtLogin makes roles of all kinds and lets them try to connect, before and
// after a restart. No password may come into the log.
func TestRolesAtLogin(t *testing.T) {
	var log locked
	o := Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	st := memstore.New(memstore.Options{})
	open := func() string {
		db, err := session.Open(t.Context(), st, session.Options{Log: o.Log})
		if err != nil {
			t.Fatal(err)
		}
		return serveWith(t, NewServer(db, o))
	}
	address := open()
	c := newTestClient(t, dial(t, address))
	c.start(t)
	for _, sql := range []string{
		"SET log_min_duration_statement = 0",
		"ALTER ROLE postgres PASSWORD 'secret of the boss'",
		"CREATE ROLE somebody LOGIN PASSWORD 'secret'", "CREATE ROLE group_ PASSWORD 'secret'",
		"CREATE ROLE bare LOGIN", "CREATE ROLE expired LOGIN PASSWORD 'secret' VALID UNTIL '2001-01-01'",
		"CREATE ROLE ended LOGIN PASSWORD 'secret' VALID UNTIL '-infinity'",
		"CREATE ROLE good LOGIN PASSWORD 'secret' VALID UNTIL '2900-01-01'", "CREATE ROLE forever LOGIN PASSWORD 'secret' VALID UNTIL 'infinity'",
		"CREATE ROLE former LOGIN PASSWORD 'secret'", "ALTER ROLE former PASSWORD NULL",
		"CREATE ROLE gone LOGIN PASSWORD 'secret'", "DROP ROLE gone",
		`CREATE ROLE "odd "" name" LOGIN PASSWORD 'secret'`,
	} {
		if got := c.run(t, sql); got != "" {
			t.Fatalf("%s: %s", sql, got)
		}
	}
	for _, sql := range []string{"ALTER ROLE bare PASSWRD 'secret'", "ALTER ROLE bare PASSWORD 'secret",
		"ALTER ROLE absent PASSWORD 'secret'"} {
		if c.run(t, sql) == "" {
			t.Errorf("no error: %s", sql)
		}
	}
	salts := map[string]string{}
	for range 2 {
		for _, test := range []struct{ user, password, want string }{
			{"postgres", "secret of the boss", ""}, {"postgres", "secret", "28P01"},
			{"somebody", "secret", ""}, {"somebody", "Secret", "28P01"}, {"somebody", "", "28P01"}, {"SOMEBODY", "secret", "28P01"},
			{"good", "secret", ""}, {"forever", "secret", ""}, {`odd " name`, "secret", ""},
			{"expired", "secret", "28P01"}, {"ended", "secret", "28P01"}, {"bare", "secret", "28P01"}, {"former", "secret", "28P01"},
			{"gone", "secret", "28P01"}, {"nobody", "secret", "28P01"}, {"pg_read_all_data", "secret", "28P01"},
			{"group_", "secret", `FATAL: role "group_" is not permitted to log in (SQLSTATE 28000)`}, {"group_", "x", "28P01"},
		} {
			want := test.want
			if want == "28P01" {
				want = fmt.Sprintf("FATAL: password authentication failed for user %q (SQLSTATE 28P01)", test.user)
			}
			if err := connectAs(address, test.user, test.password); want == "" && err != nil ||
				!strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%s, %s: %v, want %s", test.user, test.password, err, want)
			}
			salt := saltOf(t, address, test.user)
			if before, ok := salts[test.user]; ok && before != salt {
				t.Errorf("%s has another salt than before", test.user)
			}
			salts[test.user] = salt
		}
		address = open()
	}
	if strings.Contains(log.String(), "secret") {
		t.Errorf("a password is in the log:\n%s", log.String())
	}
}

// connectAs connects and says something.
func connectAs(address, user, password string) error {
	config, err := pgx.ParseConfig("postgres://" + address + "/postgres?sslmode=disable")
	if err != nil {
		return err
	}
	config.User, config.Password = user, password
	conn, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	return conn.Ping(context.Background())
}

// saltOf is what a client is told that begins to prove to be a user.
func saltOf(t *testing.T, address, user string) string {
	t.Helper()
	c := newTestClient(t, dial(t, address))
	if _, err := io.WriteString(c.net, packet(version30, "user\x00"+user+"\x00\x00")+initialResponse(mechanism,
		"n,,n=,r=abc")); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := m.(*pgproto3.AuthenticationSASLContinue); ok {
			_ = c.net.Close()
			_, salt, _ := strings.Cut(string(m.Data), ",")
			return salt
		}
	}
}
