package session

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
)

// throttling is a statement that asks more and more of DynamoDB, and what a client learns when that is too much.
type throttling struct {
	name   string
	table  string // its columns and options
	faults dynamofake.Faults
	text   string   // which is repeated until it is refused
	other  string   // which goes on then
	want   []string // the code and the message, parts of the detail, and the begin of the hint
	hot    []string // the partition in zproxy.hot_keys, and whether requests for it were refused
	heat   string   // the range in zproxy.key_heat in which they were
}

const (
	byTenant  = "(tenant int, id int, a int, PRIMARY KEY (tenant, id)) PARTITION BY HASH (tenant)"
	ofAccount = "TableWriteAccountLimitExceeded"
)

// throttlings are of all kinds. The rows of a table are (7, 0, 0) to (7, 19, 0), and (8, 0, 0).
var throttlings = []throttling{
	{
		name: "uneven data", table: byTenant, text: "SELECT a FROM events WHERE tenant = 7",
		other: "SELECT a FROM events WHERE tenant = 8",
		want: []string{`53400 too many requests for partition (tenant = 7) of table "events"`,
			"Uneven data: the partition has 100 %", "TableReadKeyRangeThroughputExceeded",
			"heavy_keys = '{\"7\": 8}') would spread this key over 8 partitions"},
		hot:  []string{"tenant = 7 t", "tenant = 8 f"},
		heat: "/7 /7",
	},
	{ // a transaction is not told that it is the partition
		name: "uneven data, in a transaction", table: byTenant, text: "UPDATE events SET a = a + 1 WHERE tenant = 7",
		other: "UPDATE events SET a = a + 1 WHERE tenant = 8",
		want: []string{`53000 too many requests for table "events"`, "Uneven data: the partition has 9",
			": ProvisionedThroughputExceeded.", "heavy_keys = '{\"7\": 8}') would spread this key over 8 partitions"},
		hot:  []string{"tenant = 7 f", "tenant = 8 f"},
		heat: "/7/0 /7/1",
	},
	{
		name: "one row that is read", table: byTenant, text: "SELECT a FROM events WHERE tenant = 7 AND id = 3",
		other: "SELECT a FROM events WHERE tenant = 8 AND id = 0",
		want: []string{`53400 too many requests for partition (tenant = 7) of table "events"`,
			"One hot key: key /7/3 has ", "TableReadKeyRangeThroughputExceeded",
			"ALTER TABLE ... SET (cache = '1s') lets queries read rows of that age from memory."},
		hot:  []string{"tenant = 7 t", "tenant = 8 f"},
		heat: "/7/3 /7/3",
	},
	{
		name: "one row that is written", table: byTenant, text: "UPDATE events SET a = a + 1 WHERE tenant = 7 AND id = 3",
		other: "UPDATE events SET a = a + 1 WHERE tenant = 8",
		want: []string{`53400 too many requests for partition (tenant = 7) of table "events"`,
			"One hot key: key /7/3 has ", "TableWriteKeyRangeThroughputExceeded",
			"Writes to one row are spread if it becomes several rows"},
		hot:  []string{"tenant = 7 t", "tenant = 8 f"},
		heat: "/7/3 /7/3",
	},
	{
		name: "provisioned", table: byTenant + " WITH (billing = 'provisioned', read_units = 1000, write_units = 30)",
		text: "UPDATE events SET a = a + 1 WHERE tenant = 8",
		want: []string{`53000 too many requests for table "events"`, "More requests than are provided for: this process made ",
			"1000 read units and 30 write units a second are provisioned", "TableWriteProvisionedThroughputExceeded",
			"ALTER TABLE ... SET (read_units = N, write_units = N) provides more."},
		hot:  []string{"tenant = 7 f", "tenant = 8 f"},
		heat: "/8/0 /8/0",
	},
	{
		name: "account", table: byTenant, text: "UPDATE events SET a = a + 1 WHERE tenant = 7 AND id = 3",
		faults: dynamofake.Faults{Throttle: 1, Reasons: []string{ofAccount},
			Only: func(r *dynamofake.Request) bool { return r.Op == "PutItem" }},
		want: []string{`53000 too many requests for table "events"`, "The limit is that of the store's account", ofAccount,
			"A higher quota of the account allows more."},
		hot:  []string{"tenant = 7 f", "tenant = 8 f"},
		heat: "/7/3 /7/3",
	},
}

// TestThrottled asks more of a DynamoDB than it takes in a partition, a table and an account. The errors say which of
// them it is, with numbers, and zproxy.hot_keys where. The clock is a fake one, which only pauses between
// attempts move, and no statement has time for one.
func TestThrottled(t *testing.T) {
	for _, c := range throttlings {
		t.Run(c.name, func(t *testing.T) { synctest.Test(t, c.play) })
	}
}

func (c *throttling) play(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{ReadLimit: 120, WriteLimit: 60, Provisioned: true})
	s := connect(t, joined(t, f, "a").DB, "joe")
	accepted(t, s, "CREATE TABLE events "+c.table, "INSERT INTO events VALUES (8, 0, 0)",
		"INSERT INTO events SELECT 7, n, 0 FROM generate_series(0, 19) AS n", "SET statement_timeout = '5ms'")
	time.Sleep(time.Minute)
	f.SetFaults(c.faults)
	var err error
	for range 200 {
		if err = ask(t, s, c.text); err != nil {
			break
		}
	}
	e := sqlerr.From(err)
	got := string(e.Code) + " " + e.Message + " | " + e.Detail + " | " + e.Hint
	for _, part := range c.want {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nis without %s", got, part)
		}
	}
	if c.other != "" {
		accepted(t, s, c.other)
	}
	hot := answer(t, s, "SELECT key, throttled > 0 FROM zproxy.hot_keys WHERE tablename = 'events' ORDER BY key")
	if !slices.Equal(hot, c.hot) {
		t.Errorf("the hot keys are %q, want %q", hot, c.hot)
	}
	heat := answer(t, s, "SELECT from_key, to_key FROM zproxy.key_heat WHERE tablename = 'events' AND throttled > 0")
	if !slices.Equal(heat, []string{c.heat}) {
		t.Errorf("requests were refused at %q, want %q", heat, c.heat)
	}
	f.EndFaults()
	time.Sleep(time.Minute)
	accepted(t, s, c.text)
}

// TestThrottledBehind writes rows behind the rows of a parent: they are refused at the parent's key.
func TestThrottledBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{WriteLimit: 30})
		s := connect(t, joined(t, f, "a").DB, "joe")
		accepted(t, s, "CREATE TABLE users (id int PRIMARY KEY)",
			"CREATE TABLE visits (id int, at int, PRIMARY KEY (id, at)) WITH (interleave_in = 'users')",
			"INSERT INTO users VALUES (7)", "SET statement_timeout = '5ms'")
		var err error
		for at := 0; err == nil && at < 100; at++ {
			err = ask(t, s, fmt.Sprintf("INSERT INTO visits VALUES (7, %d)", at))
		}
		if code := sqlerr.From(err).Code; code != sqlerr.InsufficientResources {
			t.Errorf("too many writes are refused with %s: %v", code, err)
		}
		heat := answer(t, s, "SELECT tablename, from_key, to_key FROM zproxy.key_heat WHERE throttled > 0")
		if !slices.Equal(heat, []string{"users /7 /7"}) {
			t.Errorf("requests were refused at %q", heat)
		}
	})
}
