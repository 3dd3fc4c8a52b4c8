package failure_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/cluster/failure"
	"zproxy/encoding/keys"
	"zproxy/internal/plantest"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/types"
)

// snapshot is a catalog with tables whose spaces have names.
func snapshot(t *testing.T) *catalog.Snapshot {
	t.Helper()
	schema := plantest.Schema{Last: 20_000}
	if err := schema.Define(`CREATE TABLE t (id int PRIMARY KEY, a int);
CREATE INDEX t_a ON t (a) WITH (shards = 4);
CREATE TABLE events (tenant int, at int, PRIMARY KEY (tenant, at));
CREATE TABLE visits (id int PRIMARY KEY, who int);
CREATE INDEX visits_who ON visits (who) WITH (heavy_keys = '{"7": 4, "3": 2}')`); err != nil {
		t.Fatal(err)
	}
	foreign := *schema.Catalog.Table("public", "events")
	foreign.ID, foreign.Name, foreign.Space = 30_000, "orders", catalog.NewSpace(30_000, "orders")
	foreign.Foreign = &catalog.Foreign{Server: "aws", Table: "Orders"}
	return schema.Catalog.With(&foreign)
}

// spaceOf is the name of the space of a table, or with a name of its index.
func spaceOf(snap *catalog.Snapshot, table, index string) string {
	t := snap.Table("public", table)
	if index != "" {
		return t.Index(index).Space.Name
	}
	return t.Space.Name
}

// partitionOf is the partition of a row.
func partitionOf(t *testing.T, table *catalog.Table, l *catalog.Layout, row ...int64) []byte {
	t.Helper()
	c, err := keys.NewCodec(table, l)
	if err != nil {
		t.Fatal(err)
	}
	values := make(types.Row, len(row))
	for i, n := range row {
		values[i] = types.NewInt(n)
	}
	return c.Key(values).Partition
}

func shown(err error) string {
	var e *sqlerr.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	out := fmt.Sprintf("%s %s", e.Code, e.Message)
	if e.Detail != "" {
		out += " | " + e.Detail
	}
	if e.Hint != "" {
		out += " | " + e.Hint
	}
	return out
}

// TestExplain gives each error of a store its code, the names of what it is about, and what to do.
func TestExplain(t *testing.T) {
	const again = "The transaction might succeed if retried"
	snap := snapshot(t)
	events, x := snap.Table("public", "events"), snap.Table("public", "t").Index("t_a")
	visits := snap.Table("public", "visits")
	busy := func(space string, partition []byte, hot bool) error {
		return fmt.Errorf("scan: %w", &store.Busy{Space: space, Partition: partition, Hot: hot, Reason: "throttled"})
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{store.ErrConflict, "40001 could not serialize access due to concurrent update | " + again + "."},
		{store.ErrGone, "40001 could not serialize access because the schema changed | " + again + "."},
		{store.ErrUnknown, "40003 the outcome of the commit is unknown | Read the rows to see whether they were written before trying again."},
		{store.ErrUnreachable, "58030 the store does not answer | scan: the store does not answer. | " + again + " later."},
		{store.ErrTooLarge, "54000 scan: over a limit of the store"},
		{&store.Refused{Space: "s", Reason: "too often"}, "55000 the store refuses this: too often"},
		{&store.Full{Dir: "/data", Left: 3 << 20, Least: 64 << 20}, "53100 no space is left in /data | 3 MB are free, and the server keeps 64 MB. | Free disk space, or lower the setting min-free-disk of the server. DROP and TRUNCATE still work, and DELETE."},
		{&store.Denied{Space: spaceOf(snap, "t", "t_a"), Reason: "no"}, `42501 the server has no permission for index "t_a" | The store says: no. | The operator of the server must grant it this permission.`},
		{&store.Denied{Reason: "no", Grant: "{}"}, "42501 the server has no permission for the store | The store says: no. | The operator of the server must grant it this permission: {}"},
		{&store.TooLarge{Space: spaceOf(snap, "t", "t_a"), Bytes: 9, Most: 8}, `54000 row is too big: size 9, maximum size 8 | It is a row of index "t_a" in the store.`},
		{&store.Denied{Reason: "no"}, "42501 the server has no permission for the store | The store says: no. | The operator of the server must grant it this permission."},
		{&store.Damaged{File: "7.sst", Spaces: []string{spaceOf(snap, "t", ""), "x"}, Reason: "torn"},
			`XX001 could not read file "7.sst": it is damaged | It may have rows of table "t", space "x". torn. | Stop the server and put back the file, or its folder, from a copy, or copy what can be read with zproxy check --salvage.`},
		{store.ErrBusy, "53000 the store is overloaded | " + again + " later."},
		{busy("", nil, false), "53000 too many requests for several tables | The store says: throttled. | " + again + " later."},
		{busy("Orders", nil, false), `53000 too many requests for foreign table "orders" | The store says: throttled. | ` + again + " later."},
		{busy("Orders", []byte("x"), true), `53400 too many requests for a partition of foreign table "orders" | The store says: throttled. | ` + again + " later."},
		{busy(spaceOf(snap, "events", ""), partitionOf(t, events, &events.Primary, 7, 1), true),
			`53400 too many requests for partition (tenant = 7) of table "events" | The store says: throttled. | ALTER TABLE ... SET (heavy_keys = '{"7": 8}') would spread this key over 8 partitions, and keys WITH (shards = N) each one over N. ` + again + " later."},
		{busy(spaceOf(snap, "visits", "visits_who"), partitionOf(t, visits, &visits.Indexes[0].Layout, 1, 7), true),
			`53400 too many requests for partition (who = 7, shard(id) = 2) of index "visits_who" | The store says: throttled. | ` +
				`ALTER INDEX ... SET (heavy_keys = '{"3": 2, "7": 32}') would spread this key over 32 partitions, and keys WITH (shards = N) each one over N. ` +
				again + " later."},
		{busy(x.Space.Name, nil, true),
			`53400 too many requests for a partition of index "t_a" | The store says: throttled. | More shards than 4 would spread the keys over more partitions. ` + again + " later."},
		{busy("x", []byte("x"), true),
			`53400 too many requests for a partition of space "x" | The store says: throttled. | Keys WITH (shards = N) would spread over N partitions. ` + again + " later."},
		{sqlerr.Wrap(store.ErrConflict, sqlerr.UniqueViolation, "mine"), "23505 mine"},
		{errors.New("a bug"), "scan: a bug"},
	} {
		err := fmt.Errorf("scan: %w", c.err)
		got := failure.Explain(t.Context(), failure.Known{Catalog: snap}, err)
		if shown(got) != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.err, shown(got), c.want)
		}
		if !errors.Is(got, err) {
			t.Errorf("%v is not the cause of %v", err, got)
		}
	}
	if err := failure.Explain(t.Context(), failure.Known{Catalog: snap}, nil); err != nil {
		t.Errorf("no error is %v", err)
	}
}

// TestEndedStatement tells a statement that was ended from a store that fails: what ended it is the error, but not of
// what the store has said by then.
func TestEndedStatement(t *testing.T) {
	snap := snapshot(t)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	timeout, end := context.WithCancelCause(t.Context())
	end(fmt.Errorf("ended: %w", sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")))
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{canceled, context.Canceled, "57014 canceling statement due to user request"},
		{canceled, store.ErrUnreachable, "57014 canceling statement due to user request"},
		{canceled, store.ErrConflict, "40001 could not serialize access due to concurrent update"},
		{canceled, store.ErrUnknown, "40003 the outcome of the commit is unknown"},
		{timeout, context.Canceled, "57014 canceling statement due to statement timeout"},
		{timeout, store.ErrUnreachable, "57014 canceling statement due to statement timeout"},
		{t.Context(), context.Canceled, "context canceled"},
	} {
		got, _, _ := strings.Cut(shown(failure.Explain(c.ctx, failure.Known{Catalog: snap}, c.err)), " | ")
		if got != c.want {
			t.Errorf("%v of a statement that ended by %v: %s, want %s", c.err, context.Cause(c.ctx), got, c.want)
		}
	}
}

// pressed is a store that tells of hot partitions.
type pressed struct {
	store.Store
	hot []store.HotPartition
}

func (p pressed) Pressure() store.Pressure { return store.Pressure{Hot: p.hot} }

func (p pressed) OnRefusal(func(store.SpaceID, store.Key)) {}

// TestHotPartitions names partitions by the values of their keys.
func TestHotPartitions(t *testing.T) {
	snap := snapshot(t)
	st := memstore.New(memstore.Options{})
	if hot := failure.HotPartitions(snap, st); hot != nil {
		t.Errorf("of a store that counts nothing: %v", hot)
	}
	events := snap.Table("public", "events")
	var got []string
	for _, h := range failure.HotPartitions(snap, pressed{st, []store.HotPartition{
		{Space: events.Space.Name, Partition: partitionOf(t, events, &events.Primary, 7, 1), Count: 9},
		{Space: "x", Partition: []byte("x"), Count: 2},
	}}) {
		got = append(got, fmt.Sprintf("%s of %s: %d", h.Partition, h.Where, h.Refused))
	}
	if s := strings.Join(got, "; "); s != `partition (tenant = 7) of table "events": 9; a partition of space "x": 2` {
		t.Error(s)
	}
}
