package session

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
)

const partitionsOf = `SELECT c.relname || ' ' || coalesce(array_to_string(c.reloptions, ' '), '')
	FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'log'::regclass ORDER BY 1`

// TestPartitionsAhead lets time pass for two processes on one store while both insert rows of now: each partition is
// there before it is needed, and is made once.
func TestPartitionsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		a, b := connect(t, joined(t, f, "a").DB, "joe"), connect(t, joined(t, f, "b").DB, "joe")
		accepted(t, a, `CREATE TABLE log (at timestamp, id int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)
			WITH (partition_interval = '1 hour', partition_ahead = 2)`, "CREATE INDEX ON log (at)")
		for i := range 25 {
			accepted(t, a, fmt.Sprintf("INSERT INTO log VALUES (now(), %d), (now() + '2 hours', -%d)", i, i+1))
			accepted(t, b, fmt.Sprintf("INSERT INTO log VALUES (now(), %d)", 100+i))
			time.Sleep(5 * time.Minute)
		}
		want := []string{"log_2000_01_01_00 ", "log_2000_01_01_01 ", "log_2000_01_01_02 ", "log_2000_01_01_03 ",
			"log_2000_01_01_04 "}
		for _, s := range []*Session{a, b} {
			if got := answer(t, s, partitionsOf); !slices.Equal(got, want) {
				t.Errorf("partitions: %q", got)
			}
		}
		if got := answer(t, b, "SELECT count(*) FROM log"); got[0] != "75" {
			t.Errorf("rows: %v", got)
		}
	})
}

// aged is a database whose clock stands, and the rounds that keep partitions.
type aged struct {
	*testing.T
	db    *DB
	s     *Session
	clock *stepClock
	log   bytes.Buffer
}

func newAged(t *testing.T, with string) *aged {
	a := &aged{T: t, clock: newStepClock()}
	st := memstore.New(memstore.Options{})
	var err error
	o := Options{Now: a.clock.now, Log: slog.New(slog.NewTextHandler(&a.log, nil))}
	if a.db, err = Open(t.Context(), st, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.db.Close)
	a.s = connect(t, a.db, "joe")
	accepted(t, a.s, "CREATE TABLE log (at date, id int, PRIMARY KEY (at, id)) PARTITION BY RANGE (at) WITH ("+with+")")
	return a
}

// after lets days pass, keeps the partitions and wants some of them.
func (a *aged) after(days int, want ...string) {
	a.Helper()
	a.clock.step(time.Duration(days) * 24 * time.Hour)
	a.db.keeper.round(a.Context())
	if got := answer(a.T, a.s, partitionsOf); !slices.Equal(got, want) {
		a.Errorf("after %d days, on %s: %q", days, a.clock.now(), got)
	}
}

// TestPartitionsAge makes, moves and drops the partitions of a table as time passes.
func TestPartitionsAge(t *testing.T) {
	a := newAged(t, "partition_interval = '1 month', cold_after = '1 month', drop_after = '2 months', "+
		"cold_billing = 'provisioned', cold_read_units = 2, cold_write_units = 1")
	const cold = "billing=provisioned read_units=2 storage_class=infrequent_access write_units=1"
	a.after(0, "log_2026_03 ", "log_2026_04 ") // it is 28 March
	accepted(t, a.s, "CREATE INDEX ON log (id)", "INSERT INTO log VALUES ('2026-03-01', 1), ('2026-04-30', 2)")
	a.after(4, "log_2026_03 ", "log_2026_04 ", "log_2026_05 ")
	a.after(29, "log_2026_03 ", "log_2026_04 ", "log_2026_05 ")
	a.after(1, "log_2026_03 "+cold, "log_2026_04 ", "log_2026_05 ", "log_2026_06 ")
	if got := answer(t, a.s, "SELECT reloptions FROM pg_class WHERE relname = 'log_2026_03_id_idx'"); got[0] !=
		"{"+strings.ReplaceAll(cold, " ", ",")+"}" {
		t.Errorf("the index of a cold partition: %v", got)
	}
	if got := answer(t, a.s, "SELECT id FROM log ORDER BY id"); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("rows: %v", got)
	}
	a.after(31, "log_2026_04 "+cold, "log_2026_05 ", "log_2026_06 ", "log_2026_07 ")
	if !strings.Contains(a.log.String(), "dropping a partition by drop_after") {
		t.Errorf("log: %s", &a.log)
	}
	accepted(t, a.s, "ALTER TABLE log RESET (cold_after, cold_billing, cold_read_units, cold_write_units, drop_after)")
	a.after(200, "log_2026_04 "+cold, "log_2026_05 ", "log_2026_06 ", "log_2026_07 ", "log_2026_12 ", "log_2027_01 ")
}

// TestPartitionsThatCannotBeKept holds that what stands in the way of one partition stands in the way of no other, and
// is tried again later.
func TestPartitionsThatCannotBeKept(t *testing.T) {
	a := newAged(t, "partition_interval = '1 month', partition_ahead = 0, drop_after = '0 days'")
	a.after(0, "log_2026_03 ")
	accepted(t, a.s, "CREATE TABLE others PARTITION OF log DEFAULT", "INSERT INTO log VALUES ('2026-04-03', 1)",
		"CREATE VIEW march AS SELECT * FROM log_2026_03")
	a.after(5, "log_2026_03 ", "others ")
	for _, want := range []string{"updated partition constraint for default partition", "other objects depend on it"} {
		if !strings.Contains(a.log.String(), want) {
			t.Errorf("nothing of %q in the log: %s", want, &a.log)
		}
	}
	accepted(t, a.s, "DROP VIEW march", "DELETE FROM log")
	a.after(0, "log_2026_03 ", "others ") // in an hour
	a.after(1, "log_2026_04 ", "others ")
	accepted(t, a.s, "CREATE TABLE log_2026_05 (id int)", "ALTER TABLE log RESET (drop_after)",
		"ALTER TABLE log SET (cold_after = '0 days')")
	a.after(30, "log_2026_04 storage_class=infrequent_access", "others ")
}

// TestKeysOfPartitionsAhead gives a table its keys one by one, as a dump does that does not know of the partitions
// which were made ahead.
func TestKeysOfPartitionsAhead(t *testing.T) {
	a := newAged(t, "partition_interval = '1 month'")
	accepted(t, a.s, "DROP TABLE log", `CREATE TABLE log (at date NOT NULL, id int NOT NULL, n int)
		PARTITION BY RANGE (at) WITH (partition_interval = '1 month')`,
		"ALTER TABLE ONLY log ADD CONSTRAINT log_pkey PRIMARY KEY (at, id)",
		"ALTER TABLE ONLY log ADD CONSTRAINT log_n UNIQUE (n, at)",
		"CREATE UNIQUE INDEX log_id ON ONLY log (id, n, at)",
		"INSERT INTO log VALUES ('2026-03-03', 1, 1) ON CONFLICT (at, id) DO NOTHING",
		"INSERT INTO log VALUES ('2026-03-03', 2, 1) ON CONFLICT (n, at) DO NOTHING",
		"INSERT INTO log VALUES ('2026-03-03', 3, 3) ON CONFLICT (id, n, at) DO NOTHING")
	a.after(0, "log_2026_03 ", "log_2026_04 ")
	if got := answer(t, a.s, "SELECT id FROM log ORDER BY 1"); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("rows: %v", got)
	}
}

// TestPartitionsGiveWay makes tables that a dump has in the place of partitions made ahead, unless those have rows.
func TestPartitionsGiveWay(t *testing.T) {
	a := newAged(t, "partition_interval = '1 month', partition_ahead = 2")
	a.after(0, "log_2026_03 ", "log_2026_04 ", "log_2026_05 ")
	accepted(t, a.s, "INSERT INTO log VALUES ('2026-03-03', 1)",
		"CREATE TABLE log_2026_04 (at date, id int, PRIMARY KEY (at, id))",
		"ALTER TABLE log ATTACH PARTITION log_2026_04 FOR VALUES FROM ('2026-04-01') TO ('2026-05-01')",
		"CREATE TABLE later PARTITION OF log FOR VALUES FROM ('2026-05-20') TO (MAXVALUE)")
	a.after(0, "later ", "log_2026_03 ", "log_2026_04 ")
	for sql, code := range map[string]sqlerr.Code{
		"CREATE TABLE log_2026_03 (at date)": "42P07", "CREATE TABLE log_2026_04 (at date)": "42P07",
		"CREATE TABLE x PARTITION OF log FOR VALUES FROM ('2026-03-01') TO ('2026-03-02')": "42P17",
	} {
		refused(t, a.s, sql, code)
	}
}
