package wire

import (
	"fmt"
	"strings"
	"testing"
)

// TestNotify lets one session listen while it waits, while it is in a block, and while it
// listens no more.
func TestNotify(t *testing.T) {
	address := serve(t, quiet())
	listener, speaker := newTestClient(t, dial(t, address)), newTestClient(t, dial(t, address))
	listener.start(t)
	pid, _ := startWithKey(t, speaker)
	query := func(c *testClient, sql string) string {
		c.send(t, fmt.Sprintf(`Query {"String": %q}`, sql))
		return c.until(t, "ReadyForQuery")
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got:\n%s\nwant:\n%s", got, want)
		}
	}
	const idle = `ReadyForQuery {"TxStatus":"I"}` + "\n"
	if pid == 0 {
		t.Fatal("the speaker has no number")
	}
	want(query(listener, "LISTEN a"), `CommandComplete {"CommandTag":"LISTEN"}`+"\n"+idle)
	for i := range 3 { // the listener says nothing meanwhile
		query(speaker, fmt.Sprintf("NOTIFY a, '%d'", i))
		want(listener.until(t, "NotificationResponse"),
			fmt.Sprintf(`NotificationResponse {"PID":1,"Channel":"a","Payload":"%d"}`+"\n", i))
	}
	query(listener, "BEGIN")
	query(speaker, "NOTIFY a, 'in a block'")
	want(query(listener, "ROLLBACK"), `CommandComplete {"CommandTag":"ROLLBACK"}`+"\n"+
		`NotificationResponse {"PID":1,"Channel":"a","Payload":"in a block"}`+"\n"+idle)

	// In the middle of a pipeline nothing is heard, either.
	listener.send(t, `Parse {"Query": "SELECT"}`, "Flush")
	listener.until(t, "ParseComplete")
	query(speaker, "NOTIFY a, 'in a pipeline'")
	listener.send(t, "Sync")
	want(listener.until(t, "ReadyForQuery"),
		`NotificationResponse {"PID":1,"Channel":"a","Payload":"in a pipeline"}`+"\n"+idle)

	query(listener, "UNLISTEN a")
	query(speaker, "NOTIFY a, 'to nobody'")
	want(query(listener, ""), "EmptyQueryResponse\n"+idle)
}

// TestNotifyIdleTimeout wants notifications to leave a limit of idleness as it is.
func TestNotifyIdleTimeout(t *testing.T) {
	address := serve(t, quiet())
	listener, speaker := newTestClient(t, dial(t, address)), newTestClient(t, dial(t, address))
	listener.start(t)
	speaker.start(t)
	listener.send(t, `Query {"String": "LISTEN a; SET idle_session_timeout = '200ms'"}`)
	listener.until(t, "ReadyForQuery")
	speaker.send(t, `Query {"String": "NOTIFY a"}`)
	speaker.until(t, "ReadyForQuery")
	got := listener.until(t, "closed")
	want := `ErrorResponse {"Severity":"FATAL","Code":"57P05","Message":"terminating connection due to idle-session timeout"}` + "\nclosed\n"
	if !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
