package wire

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// startWithKey starts a client and returns what cancels its statements.
func startWithKey(t *testing.T, c *testClient) (pid uint32, secret []byte) {
	t.Helper()
	if _, err := io.WriteString(c.net, packet(version32, asUser)); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := c.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.BackendKeyData:
			pid, secret = m.ProcessID, m.SecretKey
		case *pgproto3.ReadyForQuery:
			return pid, secret
		}
	}
}

// requestCancel returns when the server has acted on the request, which it shows by
// closing the connection.
func requestCancel(t *testing.T, address string, pid uint32, secret []byte) {
	t.Helper()
	c := newTestClient(t, dial(t, address))
	body := string(binary.BigEndian.AppendUint32(nil, pid)) + string(secret)
	if _, err := io.WriteString(c.net, packet(codeCancel, body)); err != nil {
		t.Fatal(err)
	}
	if got := c.until(t, "closed"); got != "closed\n" {
		t.Errorf("a cancel request was answered: %s", got)
	}
}

// TestCancel cancels a COPY, which waits for its client, with wrong keys and the right
// one.
func TestCancel(t *testing.T) {
	address := serve(t, quiet())
	c := newTestClient(t, dial(t, address))
	pid, secret := startWithKey(t, c)
	c.send(t, `Query {"String": "CREATE TABLE cancel_t (a int PRIMARY KEY)"}`)
	c.until(t, "ReadyForQuery")
	for _, test := range []struct {
		key        []byte
		data, want string
	}{
		{append([]byte{^secret[0]}, secret[1:]...), `"1\n"`, `CommandComplete {"CommandTag":"COPY 1"}`},
		{secret[:4], `"2\n"`, `CommandComplete {"CommandTag":"COPY 1"}`},
		{secret, `"3\n"`, `ErrorResponse {"Severity":"ERROR","Code":"57014","Message":"canceling statement due to user request","Where":"COPY cancel_t, line 1: \"3\""}`},
	} {
		c.send(t, `Query {"String": "COPY cancel_t FROM STDIN"}`)
		c.until(t, "CopyInResponse")
		requestCancel(t, address, pid, test.key)
		c.send(t, "CopyData "+test.data, "CopyDone")
		if got := c.until(t, "ReadyForQuery"); got != test.want+"\n"+`ReadyForQuery {"TxStatus":"I"}`+"\n" {
			t.Errorf("got %s", got)
		}
	}
	requestCancel(t, address, pid, secret) // nothing runs
	c.send(t, `Query {"String": ""}`)
	c.until(t, "ReadyForQuery")
}

// TestShutdownDuringCopy ends a statement that waits for its client.
func TestShutdownDuringCopy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	s := NewServer(openDB(t), quiet())
	go func() { ended <- s.Serve(ctx, l) }()
	c := newTestClient(t, dial(t, l.Addr().String()))
	c.start(t)
	c.send(t, `Query {"String": "CREATE TABLE copy_t (a int PRIMARY KEY)"}`)
	c.until(t, "ReadyForQuery")
	c.send(t, `Query {"String": "COPY copy_t FROM STDIN"}`)
	c.until(t, "CopyInResponse")
	cancel()
	const fields = `"Code":"57P01","Message":"terminating connection due to administrator command"`
	want := `ErrorResponse {"Severity":"FATAL",` + fields + `,"Where":"COPY copy_t, line 1"}` + "\nclosed\n"
	if got := c.until(t, "closed"); got != want {
		t.Errorf("got %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
