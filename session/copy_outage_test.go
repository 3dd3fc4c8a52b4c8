package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store/dynamostore/dynamofake"
)

// TestLoadOutage loads tables while the store answers nothing about them for a minute, once to
// writes and once to reads. Each row is there once.
func TestLoadOutage(t *testing.T) {
	for name, ops := range map[string][]string{
		"writes": {"PutItem", "BatchWriteItem", "TransactWriteItems"}, "reads": {"GetItem", "BatchGetItem", "TransactGetItems", "Query"},
	} {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, carried out %v", name, after), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { loadOutage(t, ops, after) })
			})
		}
	}
}

func loadOutage(t *testing.T, ops []string, after bool) {
	f := dynamofake.New(dynamofake.Options{})
	p := joined(t, f, "a")
	s := connect(t, p.DB, "joe")
	accepted(t, s, "CREATE TABLE loaded (k int PRIMARY KEY, a int, b text)", "CREATE INDEX ON loaded (a)")
	faults := dynamofake.Faults{Only: func(r *dynamofake.Request) bool {
		ofTable := slices.ContainsFunc(r.Tables, func(name string) bool { return strings.Contains(name, "loaded") })
		return ofTable && slices.Contains(ops, r.Op)
	}}
	faults.ErrorBefore = 1
	if after {
		faults.ErrorBefore, faults.ErrorAfter = 0, 1
	}
	f.SetFaults(faults)
	time.AfterFunc(time.Minute, f.EndFaults)
	c := &loader{data: strings.NewReader(lines(1, 600))}
	if err := s.Query(t.Context(), "COPY loaded FROM STDIN", c); err != nil || c.tag != "COPY 600" {
		t.Fatalf("%v, %s", err, c.tag)
	}
	f.EndFaults()
	if got := answer(t, s, "SELECT count(*), sum(a) FROM loaded"); got[0] != "600 2700" {
		t.Errorf("%v", got)
	}
	p.agreesWithRows(t)
}
