package wire

import (
	"crypto/tls"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/internal/certtest"
)

const (
	idleBytes = 41_000  // of heap and stacks that an idle client may cost
	busyBytes = 900_000 // that a client may cost while it is served, with garbage: 650,000, or more on a busy machine
)

// TestManyConnections opens many connections, lets each run some statements, and measures
// what they hold while they are idle; then it keeps some of them busy, all at once. The
// clients' sockets are in this process, so the figures are a little too large. The
// goroutines are counted after all tests of the package.
func TestManyConnections(t *testing.T) {
	for _, test := range []struct {
		name       string
		idle, busy int
		encrypted  bool
	}{{"plain", 5000, 500, false}, {"TLS", 500, 0, true}} {
		t.Run(test.name, func(t *testing.T) {
			m := &many{clients: make([]net.Conn, test.idle)}
			if test.encrypted {
				m.certificate = certtest.New(t)
			}
			m.measure(t, test.busy)
		})
	}
}

// many is a server and its clients.
type many struct {
	address     string
	certificate *certtest.Certificate // nil: without TLS
	clients     []net.Conn
}

func (m *many) measure(t *testing.T, busy int) {
	idle := len(m.clients)
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < uint64(2*idle+200) {
		t.Skipf("%d files may be open, and this needs %d: ulimit -n", files.Cur, 2*idle+200)
	}
	m.start(t)
	before := inUse()
	defer func() {
		for _, nc := range m.clients {
			_ = nc.Close()
		}
	}()
	m.each(t, idle, 50, m.connect)
	cost := (inUse() - before) / idle
	t.Logf("%d bytes for each of %d idle connections", cost, idle)
	if cost > idleBytes && !racing {
		t.Errorf("an idle connection costs %d bytes, more than %d", cost, idleBytes)
	}
	if m.certificate != nil {
		return // the clients have forgotten their keys
	}
	var most atomic.Uint64
	m.each(t, busy, busy, func(i int) error {
		for range 5 {
			if err := work(m.clients[i], ""); err != nil {
				return err
			}
		}
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		for seen := most.Load(); now.HeapInuse+now.StackInuse > seen &&
			!most.CompareAndSwap(seen, now.HeapInuse+now.StackInuse); {
			seen = most.Load()
		}
		return nil
	})
	peak := (int(most.Load()) - before - cost*idle) / busy
	after := (inUse() - before) / idle
	t.Logf("%d bytes for each of %d that are busy, and %d when they are idle again", peak, busy, after)
	if (peak > busyBytes || after > idleBytes) && !racing {
		t.Errorf("more than %d and %d", busyBytes, idleBytes)
	}
}

// start makes the server and its table.
func (m *many) start(t *testing.T) {
	t.Helper()
	o := quiet()
	if m.certificate != nil {
		o = withTLS(m.certificate)
	}
	o.MaxConnections = len(m.clients) + 1
	m.address = serve(t, o)
	setUp := newTestClient(t, dial(t, m.address))
	setUp.start(t)
	setUp.send(t, `Query {"String": "CREATE TABLE many_t (id int PRIMARY KEY, a text); INSERT INTO many_t SELECT i, repeat('x', 200) FROM generate_series(1, 100) i"}`)
	setUp.until(t, "ReadyForQuery")
}

// connect makes a client and lets it work. Of TLS it keeps nothing but the connection, so
// that only the server's end is measured.
func (m *many) connect(i int) (err error) {
	nc, err := net.Dial("tcp", m.address)
	if err != nil {
		return err
	}
	m.clients[i] = nc
	if m.certificate != nil {
		var answer [1]byte
		if _, err := io.WriteString(nc, packet(codeSSL, "")); err != nil {
			return err
		}
		if _, err := io.ReadFull(nc, answer[:]); err != nil {
			return err
		}
		nc = tls.Client(nc, m.certificate.Client())
	}
	return work(nc, packet(version30, "user\x00me\x00application_name\x00many\x00client_encoding\x00UTF8\x00\x00"))
}

// each runs f for the first clients, some at a time.
func (m *many) each(t *testing.T, clients, atOnce int, f func(i int) error) {
	t.Helper()
	var running sync.WaitGroup
	errs := make(chan error, clients)
	for worker := range atOnce {
		running.Go(func() {
			for i := worker; i < clients; i += atOnce {
				if err := f(i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	running.Wait()
	close(errs)
	for err := range errs {
		t.Fatal(err)
	}
}

// inUse is the heap and the stacks, without garbage.
func inUse() int {
	for range 4 { // a stack is halved at most at each collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}

// work asks for few rows, for many, and for one by its key, as a driver does. What is said
// before is the startup, or nothing.
func work(nc net.Conn, startup string) (err error) {
	sent, answers := []byte(startup), 3
	if startup != "" {
		answers++
	}
	for _, m := range []pgproto3.FrontendMessage{
		&pgproto3.Query{String: "SELECT count(*) FROM many_t"}, &pgproto3.Query{String: "SELECT * FROM many_t ORDER BY a, id"},
		&pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Parse{Name: "s", Query: "SELECT a FROM many_t WHERE id = $1"},
		&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("7")}}, &pgproto3.Execute{}, &pgproto3.Sync{},
	} {
		if sent, err = m.Encode(sent); err != nil {
			return err
		}
	}
	if _, err := nc.Write(sent); err != nil {
		return err
	}
	return untilReady(nc, answers)
}

// untilReady reads until the server has been ready so many times.
func untilReady(nc net.Conn, times int) error {
	var head [5]byte
	for times > 0 {
		if _, err := io.ReadFull(nc, head[:]); err != nil {
			return err
		}
		size := int64(head[1])<<24 | int64(head[2])<<16 | int64(head[3])<<8 | int64(head[4])
		if _, err := io.CopyN(io.Discard, nc, size-4); err != nil {
			return err
		}
		if head[0] == 'E' {
			return io.ErrUnexpectedEOF
		}
		if head[0] == 'Z' {
			times--
		}
	}
	return nil
}
