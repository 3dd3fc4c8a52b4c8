package wire

import (
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	idleClients = 5000
	busyClients = 500
	idleBytes   = 40_000  // of heap and stacks that an idle client may cost
	busyBytes   = 600_000 // that a client may cost at any time
)

// TestManyConnections opens many connections, lets each run some statements, and measures
// what they hold while they are idle; then it keeps some of them busy, all at once. Both
// ends are in this process, so the figures are a little too large. The goroutines are
// counted after all tests of the package.
func TestManyConnections(t *testing.T) {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Cur < 2*idleClients+200 {
		t.Skipf("%d files may be open, and this needs %d: ulimit -n", files.Cur, 2*idleClients+200)
	}
	o := quiet()
	o.MaxConnections = idleClients + 1
	address := serve(t, o)
	setUp := newTestClient(t, dial(t, address))
	setUp.start(t)
	setUp.send(t, `Query {"String": "CREATE TABLE many_t (id int PRIMARY KEY, a text); INSERT INTO many_t SELECT i, repeat('x', 200) FROM generate_series(1, 100) i"}`)
	setUp.until(t, "ReadyForQuery")

	before := inUse()
	clients := make([]net.Conn, idleClients)
	defer func() {
		for _, nc := range clients {
			_ = nc.Close()
		}
	}()
	each(t, clients, 50, func(i int) (err error) {
		if clients[i], err = net.Dial("tcp", address); err != nil {
			return err
		}
		return work(clients[i], packet(version30, "user\x00me\x00application_name\x00many\x00client_encoding\x00UTF8\x00\x00"))
	})
	cost := (inUse() - before) / idleClients
	t.Logf("%d bytes for each of %d idle connections", cost, idleClients)
	if cost > idleBytes {
		t.Errorf("an idle connection costs %d bytes, more than %d", cost, idleBytes)
	}

	var most atomic.Uint64
	each(t, clients[:busyClients], busyClients, func(i int) error {
		for range 5 {
			if err := work(clients[i], ""); err != nil {
				return err
			}
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		for seen := most.Load(); m.HeapInuse+m.StackInuse > seen && !most.CompareAndSwap(seen, m.HeapInuse+m.StackInuse); seen = most.Load() {
		}
		return nil
	})
	peak := (int(most.Load()) - before - cost*idleClients) / busyClients
	after := (inUse() - before) / idleClients
	t.Logf("%d bytes for each of %d that are busy, and %d when they are idle again", peak, busyClients, after)
	if peak > busyBytes || after > idleBytes {
		t.Errorf("more than %d and %d", busyBytes, idleBytes)
	}
}

// each runs f for every client, some at a time.
func each(t *testing.T, clients []net.Conn, atOnce int, f func(i int) error) {
	t.Helper()
	var running sync.WaitGroup
	errs := make(chan error, len(clients))
	for worker := range atOnce {
		running.Go(func() {
			for i := worker; i < len(clients); i += atOnce {
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

// inUse is the heap and the stacks, without what nobody refers to.
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
	said, answers := []byte(startup), 3
	if startup != "" {
		answers++
	}
	for _, m := range []pgproto3.FrontendMessage{
		&pgproto3.Query{String: "SELECT count(*) FROM many_t"}, &pgproto3.Query{String: "SELECT * FROM many_t ORDER BY a, id"},
		&pgproto3.Close{ObjectType: 'S', Name: "s"}, &pgproto3.Parse{Name: "s", Query: "SELECT a FROM many_t WHERE id = $1"},
		&pgproto3.Bind{PreparedStatement: "s", Parameters: [][]byte{[]byte("7")}}, &pgproto3.Execute{}, &pgproto3.Sync{},
	} {
		if said, err = m.Encode(said); err != nil {
			return err
		}
	}
	if _, err := nc.Write(said); err != nil {
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
