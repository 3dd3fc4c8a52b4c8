package notify

import (
	"reflect"
	"strings"
	"testing"

	"zproxy/sqlerr"
)

// wanted are intents as a transaction gathers them.
func wanted(t *testing.T, list ...Intent) (out []Intent) {
	t.Helper()
	for _, i := range list {
		var err error
		if out, err = Add(out, i); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestHub lets two sessions listen and say things, of which each hears what is on its channels, once.
func TestHub(t *testing.T) {
	h, woken := NewHub(), 0
	a, b := h.Listener(func() { woken++ }), h.Listener(nil)
	// What is said in the transaction that begins to listen is heard, too.
	a.Fulfil(1, wanted(t, Notify("x", "first"), Listen("x"), Listen("y"), Notify("x", "first")))
	b.Fulfil(2, wanted(t, Listen("x"), Notify("y", "for a"), Notify("z", "for none")))
	b.Fulfil(2, wanted(t, Unlisten("x"), Notify("x", "last")))
	want := []Notification{{1, "x", "first"}, {2, "y", "for a"}, {2, "x", "last"}}
	if got := a.Take(); !reflect.DeepEqual(got, want) || woken != len(want) {
		t.Errorf("heard %v, want %v; woken %d times", got, want, woken)
	}
	if got := b.Take(); got != nil || b.Listens() {
		t.Errorf("who listens no more has heard %v", got)
	}
	if got := a.Channels(); !reflect.DeepEqual(got, []string{"x", "y"}) {
		t.Errorf("listens to %v", got)
	}
	a.Close()
	if a.Listens() || len(h.of) != 0 {
		t.Errorf("the hub still has %v", h.of)
	}
}

// TestFullInbox refuses to say more to a session that does not read, and nothing else.
func TestFullInbox(t *testing.T) {
	h := NewHub()
	l := h.Listener(nil)
	l.Fulfil(1, wanted(t, Listen("x")))
	say := wanted(t, Notify("x", strings.Repeat("a", maxPayload)))
	for l.Usage() < 1 {
		if err := h.RefuseFull(say); err != nil {
			t.Fatal(err)
		}
		l.Fulfil(1, say)
	}
	if err := h.RefuseFull(say); !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
		t.Errorf("a full inbox: %v", err)
	}
	if err := h.RefuseFull(wanted(t, Notify("y", ""), Unlisten("x"))); err != nil {
		t.Errorf("what does not go there: %v", err)
	}
	if l.Take(); h.RefuseFull(say) != nil {
		t.Error("an inbox that was read is still full")
	}
}

// TestRefusedIntents wants names and texts of a length that PostgreSQL takes.
func TestRefusedIntents(t *testing.T) {
	for _, i := range []Intent{
		Listen(""), Notify("", "text"), Listen(strings.Repeat("c", 64)), Notify("x", strings.Repeat("a", maxPayload+1)),
	} {
		if list, err := Add(nil, i); list != nil || !sqlerr.Has(err, sqlerr.InvalidParameterValue) {
			t.Errorf("%.20v: %v", i, err)
		}
	}
}
