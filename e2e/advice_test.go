package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/internal/testpage"
	"zproxy/internal/testseed"
	"zproxy/store"
)

// adviceOn makes the sessions of a server that is silent begin with advice on all kinds of stores.
const adviceOn = "&options=-c%20zproxy.advice%3Dportable"

// ownAdvice makes them begin with advice on what their store suffers from.
const ownAdvice = "&options=-c%20zproxy.advice%3Don"

// takeAdvice takes the advice among the notices since the last command.
func (p *player) takeAdvice() []*pgconn.Notice {
	advice := slices.DeleteFunc(p.notices, func(n *pgconn.Notice) bool { return !strings.HasPrefix(n.Code, "01Z") })
	p.notices = nil
	return advice
}

func (p *player) must(t *testing.T, sql string) {
	t.Helper()
	if _, err := p.conn.Exec(p.ctx, sql).ReadAll(); err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
}

// badDesigns are those of the package advice.
const badDesigns = "../catalog/advice/testdata/bad"

// TestHintsOfAdvice makes the bad designs of the package advice, and follows every hint as it
// stands: it works, whatever the path of schemas is, and leaves nothing to say about its key.
func TestHintsOfAdvice(t *testing.T) {
	for _, schema := range []string{"public", "Not Public"} {
		t.Run(schema, func(t *testing.T) {
			players := []*player{newPlayer(t, openDB(t, inMemory).url()+adviceOn),
				newPlayer(t, openDB(t, unordered).url()+adviceOn)}
			metered := newPlayer(t, openDB(t, onFake).url()+ownAdvice)
			datadriven.RunTest(t, badDesigns, func(t *testing.T, d *datadriven.TestData) string {
				n := 0
				for _, p := range players {
					n += followHints(t, p, schema, d)
				}
				if n == 0 { // only a store with limits for each partition suffers from it
					n = followHints(t, metered, schema, d)
				}
				if n == 0 {
					t.Errorf("%s: no advice", d.Pos)
				}
				return d.Expected
			})
		})
	}
}

// followHints makes the tables of a bad design, follows all hints, and says how many there were.
func followHints(t *testing.T, p *player, schema string, d *datadriven.TestData) int {
	p.must(t, fmt.Sprintf(`DROP SCHEMA IF EXISTS %q CASCADE; CREATE SCHEMA %q; SET search_path = %q`, schema, schema,
		schema))
	p.takeAdvice()
	p.must(t, d.Input)
	advice := p.takeAdvice()
	p.must(t, "SET search_path = public")
	for _, n := range advice {
		p.must(t, whole(p, schema, n.Hint))
		for _, left := range p.takeAdvice() {
			t.Errorf("%s: %s\ngives advice:\n%s", d.Pos, n.Hint, left.Message)
		}
	}
	return len(advice)
}

// adviceOf are the codes that the page for users has for a store, and with all for those with hot ends, too.
func adviceOf(t *testing.T, c store.Capabilities, all bool) []string {
	t.Helper()
	text, err := os.ReadFile("../docs/advice.md")
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		_, stores, _ := strings.Cut(section, "\nStores: ")
		given := false
		switch {
		case strings.Contains(section, "With `zproxy.advice = portable` it is not said") && all:
		case strings.Contains(stores, "divide") && all, strings.HasPrefix(stores, "all."):
			given = true
		case strings.HasPrefix(stores, "Pebble"):
			given = c.OrderedPartitions
		case strings.HasPrefix(stores, "DynamoDB, which limits"):
			given = c.Units
		case strings.HasPrefix(stores, "DynamoDB"):
			given = !c.OrderedPartitions
		case !strings.HasPrefix(stores, "those that divide"):
			t.Errorf("no stores: %s", section)
		}
		if given && !strings.HasPrefix(section, tooManyRows) {
			codes = append(codes, section[:len("01Z00")])
		}
	}
	return codes
}

// tooManyRows is the advice on more rows than a test makes.
const tooManyRows = "01Z21"

// TestAdviceByStore makes all bad designs on each kind of store: it is told of all that the page says it
// suffers from, or others with hot ends if the client wants that, and of nothing else.
func TestAdviceByStore(t *testing.T) {
	for _, k := range []kind{inMemory, unordered, onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) { adviceByStore(t, k, ownAdvice) })
		t.Run(k.name+"/all", func(t *testing.T) { adviceByStore(t, k, adviceOn) })
	}
}

func adviceByStore(t *testing.T, k kind, level string) {
	s := openDB(t, k)
	p := newPlayer(t, s.url()+level)
	fresh := func() { p.must(t, "DROP SCHEMA public CASCADE; CREATE SCHEMA public") }
	datadriven.RunTest(t, badDesigns, func(t *testing.T, d *datadriven.TestData) string {
		fresh()
		p.must(t, d.Input)
		return d.Expected
	})
	for _, c := range faultyTables {
		fresh()
		p.make(t, c)
		p.must(t, "ANALYZE t")
	}
	fresh()
	p.must(t, spelledTable)
	if _, err := p.fill("t", "", spelledRows); err != nil {
		t.Fatal(err)
	}
	p.must(t, "ANALYZE t")
	var codes []string
	for _, n := range p.takeAdvice() {
		codes = append(codes, n.Code)
	}
	slices.Sort(codes)
	got, want := slices.Compact(codes), adviceOf(t, s.store.Capabilities(), level == adviceOn)
	if !slices.Equal(got, want) {
		t.Errorf("it is told %v, and should be %v", got, want)
	}
}

// TestAdviceOnTPCC loads the tables of TPC-C with one warehouse: where partitions are in order nothing is
// wrong with their keys, and elsewhere only that there is one warehouse.
func TestAdviceOnTPCC(t *testing.T) {
	ddl, err := os.ReadFile("testdata/tpcc.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kind{onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			p := newPlayer(t, openDB(t, k).url()+adviceOn)
			for _, sql := range strings.SplitAfter(string(ddl), ";\n") {
				p.must(t, sql)
			}
			p.must(t, "ANALYZE")
			noticed := map[string]bool{}
			for _, n := range p.takeAdvice() {
				noticed[n.Code] = true
			}
			if want := map[string]bool{"01Z05": true}; k.name == onFake.name && !maps.Equal(noticed, want) ||
				k.name == onPebble.name && len(noticed) > 0 {
				t.Errorf("advice %v", noticed)
			}
		})
	}
}

// whole is a hint with the columns that it leaves out, where it makes a table anew: those of the
// table that it takes the place of.
func whole(p *player, schema, hint string) string {
	head, _, left := strings.Cut(hint, "...")
	if !left {
		return hint
	}
	table := strings.Fields(strings.TrimSuffix(strings.TrimPrefix(head, "CREATE TABLE "), " ("))
	name := table[len(table)-1]
	bare := name[strings.LastIndex(name, ".")+1:]
	rows, err := p.conn.Exec(p.ctx, fmt.Sprintf(`SELECT string_agg(quote_ident(column_name) || ' ' || data_type, ', ')
		FROM information_schema.columns WHERE table_schema = '%s' AND table_name = '%s'`, schema, bare)).ReadAll()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("DROP TABLE %q.%s; ", schema, bare) + strings.Replace(hint, "...", string(rows[0].Rows[0][0]), 1)
}

// faultyTable is a table t with rows, of which queries read.
type faultyTable struct{ name, ddl, rows, queries string }

// make makes the table.
func (p *player) make(t *testing.T, c faultyTable) {
	t.Helper()
	p.must(t, c.ddl)
	if _, err := p.fill("t", "", c.rows); err != nil {
		t.Fatal(err)
	}
	p.must(t, c.queries)
}

// faultyTables are tables with rows whose keys get advice, some of it only from the rows.
var faultyTables = []faultyTable{
	{"newest", "CREATE TABLE t (who int, at timestamp, PRIMARY KEY (who, at))",
		"SELECT n % 50, '2024-01-01'::timestamp + n * interval '1 hour' FROM generate_series(1, 500) AS n",
		strings.Repeat("SELECT * FROM t WHERE who = 1 ORDER BY at DESC LIMIT 1;", 100)},
	{"follows", "CREATE TABLE t (device int, seller text, number int, PRIMARY KEY (device, seller, number)) WITH (partition_key = '{device:06},{seller}')",
		"SELECT n % 40, 's' || n % 8, n FROM generate_series(1, 500) AS n", ""},
	{"time", "CREATE TABLE t (at timestamp, id int, v text UNIQUE, PRIMARY KEY (at, id)); CREATE INDEX i ON t (at DESC) INCLUDE (v)",
		"SELECT '2024-01-01'::timestamp + n * interval '1 hour', n, 'v' || n FROM generate_series(1, 500) AS n", ""},
	{"time and ttl", "CREATE TABLE t (at timestamptz PRIMARY KEY, n int) WITH (ttl = '10000 days', ttl_column = 'at', fillfactor = 70)",
		"SELECT now() - n * interval '1 hour', n FROM generate_series(1, 500) AS n", ""},
	{"sequence", "CREATE TABLE t (id bigserial, ticket int GENERATED ALWAYS AS IDENTITY UNIQUE, at timestamp, CONSTRAINT k PRIMARY KEY (id)); CREATE INDEX i ON t (at)",
		"SELECT n, n, '2024-01-01'::timestamp + n * interval '1 hour' FROM generate_series(1, 500) AS n", ""},
	{"few values", "CREATE TABLE t (shop int, number int, state text, UNIQUE (state, number), PRIMARY KEY (shop, number)); CREATE INDEX i ON t (state) WHERE number > 0",
		"SELECT n % 3, n, 's' || n % 2 FROM generate_series(1, 500) AS n", ""},
	{"uuids", "CREATE TABLE t (id text PRIMARY KEY, made uuid UNIQUE, b bytea); CREATE INDEX i ON t (b)",
		`SELECT id::text, id, decode(replace(id::text, '-', ''), 'hex') FROM (SELECT uuidv7() AS id FROM generate_series(1, 500)) AS ids`, ""},
	{"hashes", "CREATE TABLE t (id uuid PRIMARY KEY, other uuid NOT NULL) WITH (shards = 8); CREATE UNIQUE INDEX i ON t (other) WITH (shards = 4)",
		"SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, 500) AS n", ""},
	{"texts", "CREATE TABLE t (n int, s text, c int, PRIMARY KEY (n, s, c)) WITH (partition_key = '{n}:{s}-{shard}', shards = 4)",
		"SELECT n, 's' || n, n % 7 FROM generate_series(1, 500) AS n", ""},
	{"long", "CREATE TABLE t (url text, name varchar(255), b bytea, n int, PRIMARY KEY (url, name)); CREATE INDEX i ON t (n, b); CREATE INDEX j ON t (name DESC)",
		"SELECT repeat('u', 100) || n, 'n' || n, repeat('b', 99)::bytea || n::text::bytea, n FROM generate_series(1, 500) AS n", ""},
	{"curves", "CREATE TABLE t (id int PRIMARY KEY, a int, b int, c int, d int, e int, f bool, w text, r text); CREATE INDEX i ON t USING zorder (a, b, c, d, e); CREATE INDEX j ON t USING zorder (a, f, w, r); CREATE INDEX k ON t USING zorder (a, r zorder_ops (bytes = 8))",
		"SELECT n, n, n * 7 % 100, n * 13 % 100, n * 17 % 100, n * 19 % 100, n % 2 = 0, md5(n::text), 'http://www.' || n FROM generate_series(1, 2000) AS n", ""},
}

// TestHintsOfAdviceWithRows follows every hint on tables with rows, until nothing is said of them
// any more: what was said is not said again, and the rows stay what they were.
func TestHintsOfAdviceWithRows(t *testing.T) {
	advised := map[string]bool{}
	for _, k := range []kind{inMemory, unordered, onPebble, onFake} {
		for _, c := range faultyTables {
			t.Run(k.name+"/"+c.name, func(t *testing.T) {
				p := newPlayer(t, openDB(t, k).url()+adviceOn)
				p.make(t, c)
				if p.followAll(t) {
					advised[c.name] = true
				}
			})
		}
	}
	for _, c := range faultyTables {
		if !advised[c.name] {
			t.Errorf("no advice on any store: %s", c.name)
		}
	}
}

// followAll follows the hints about table t, which has rows, and says whether there were any.
func (p *player) followAll(t *testing.T) bool {
	rows := p.rows(t)
	advice := p.takeAdvice()
	p.must(t, "ANALYZE t")
	advice = append(advice, p.takeAdvice()...)
	any, noticed := len(advice) > 0, map[string]bool{}
	for len(advice) > 0 {
		for _, n := range advice {
			if noticed[n.Message] {
				t.Fatalf("said again after %s: %s", n.Hint, n.Message)
			}
		}
		for _, n := range advice {
			noticed[n.Message] = true
			p.must(t, n.Hint)
		}
		p.takeAdvice()
		p.must(t, "ANALYZE t")
		advice = p.takeAdvice()
	}
	if got := p.rows(t); got != rows {
		t.Errorf("other rows:\n%s\nwant:\n%s", got, rows)
	}
	return any
}

// TestReindexAsAdvised fills tables with values that lie in heaps, on Z-order indexes that were built on an
// empty table or on other rows: REINDEX where it is advised leaves no advice.
func TestReindexAsAdvised(t *testing.T) {
	p := newPlayer(t, openDB(t, onPebble).url()+adviceOn)
	r := rand.New(rand.NewPCG(testseed.Of(t), 4))
	advised := 0
	for range 30 {
		p.must(t, `DROP TABLE IF EXISTS t; CREATE TABLE t (id serial PRIMARY KEY, a int, b float8 CHECK (b >= 0), c timestamptz, d text, e int CHECK (e BETWEEN 0 AND 100000));
			CREATE INDEX i ON t USING zorder (a, b, c, d zorder_ops (bytes = 4)); CREATE INDEX j ON t USING zorder (e, a zorder_ops (map = 'range'), d)`)
		for range 1 + r.IntN(4) {
			heap := 1 + r.IntN(1000)
			p.must(t, fmt.Sprintf(`INSERT INTO t (a, b, c, d, e) SELECT n, abs(n / 7.0), '2020-01-01'::timestamptz + n * interval '1 min', md5((n %% 37)::text), abs(n) %% 100001
				FROM (SELECT %d + i %% %d AS n FROM generate_series(1, %d) AS i) AS heap`, r.IntN(1e6)-5e5, 1+r.IntN(heap), 2*heap))
			p.takeAdvice()
			if r.IntN(3) == 0 {
				p.must(t, "REINDEX TABLE t")
			}
		}
		if p.followAll(t) {
			advised++
		}
	}
	if advised == 0 {
		t.Error("no advice")
	}
}

// rows are the rows of table t without what hints may add to them.
func (p *player) rows(t *testing.T) string {
	t.Helper()
	results, err := p.conn.Exec(p.ctx,
		"SELECT (to_jsonb(t) - 'url_md5' - 'b_md5')::text AS r FROM t ORDER BY r").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return p.table(results[0], false)
}

// TestAdviceInExtendedProtocol wants advice to come between the messages of the statement that gives
// reason for it, also where several are sent before an answer is read, and none of those that
// are only parsed, that fail, or that a client does not want it for.
func TestAdviceInExtendedProtocol(t *testing.T) {
	s := openDB(t, inMemory)
	must(t, s.connect(t),
		"CREATE ROLE chatty LOGIN; ALTER ROLE chatty SET zproxy.advice = on; CREATE ROLE tired LOGIN; ALTER ROLE tired SET zproxy.advice = off",
		"GRANT CREATE ON SCHEMA public TO chatty, tired")
	for _, c := range []struct{ options, sql, want string }{
		{adviceOn, "CREATE TABLE a (at timestamp PRIMARY KEY, n serial UNIQUE)", "NoData 01Z01 01Z04 CREATE TABLE"},
		{adviceOn, "CREATE INDEX i ON a (at DESC)", "NoData 01Z02 CREATE INDEX"},
		{adviceOn, "CREATE INDEX i ON a (at DESC)", "NoData 42P07 error"},
		{adviceOn, "CREATE INDEX IF NOT EXISTS i ON a (at DESC)", "NoData 42P07 CREATE INDEX"},
		{adviceOn, "ALTER TABLE a DROP CONSTRAINT a_pkey, ADD PRIMARY KEY (n), ADD COLUMN n int", "NoData 42701 error"},
		{adviceOn, "ALTER TABLE a DROP CONSTRAINT a_pkey, ADD PRIMARY KEY (n)", "NoData 01Z04 ALTER TABLE"},
		{adviceOn, "CREATE TABLE b (n int PRIMARY KEY)", "NoData CREATE TABLE"},
		{"", "CREATE TABLE c (at timestamp PRIMARY KEY)", "NoData CREATE TABLE"},
		{"&options=-c%20zproxy.advice%3Doff", "CREATE TABLE d (at timestamp PRIMARY KEY)", "NoData CREATE TABLE"},
		{"&user=chatty", "CREATE TABLE e (v varchar(200) PRIMARY KEY)", "NoData 01Z13 CREATE TABLE"},
		{"&user=tired", "CREATE TABLE f (at timestamp PRIMARY KEY)", "NoData CREATE TABLE"},
		{"&user=tired" + adviceOn, "CREATE TABLE g (at timestamp PRIMARY KEY)", "NoData 01Z01 CREATE TABLE"},
	} {
		front := hijacked(t, s.url()+c.options)
		front.Send(&pgproto3.Parse{Query: c.sql})
		front.Send(&pgproto3.Bind{})
		front.Send(&pgproto3.Describe{ObjectType: 'P'})
		front.Send(&pgproto3.Execute{})
		front.Send(&pgproto3.Parse{Name: "later", Query: "CREATE TABLE never (at timestamp PRIMARY KEY)"})
		front.Send(&pgproto3.Sync{})
		if err := front.Flush(); err != nil {
			t.Fatal(err)
		}
		if got := answers(t, front); got != c.want {
			t.Errorf("%s: %s, want %s", c.sql, got, c.want)
		}
	}
}

// hijacked is the protocol of a new connection.
func hijacked(t *testing.T, url string) *pgproto3.Frontend {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.Hijack()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Conn.Close() })
	return h.Frontend
}

// answers are what came up to ReadyForQuery: notices and errors by their codes, commands by their tags.
func answers(t *testing.T, front *pgproto3.Frontend) string {
	t.Helper()
	var out []string
	for {
		m, err := front.Receive()
		if err != nil {
			t.Fatal(err)
		}
		switch m := m.(type) {
		case *pgproto3.NoticeResponse:
			out = append(out, m.Code)
		case *pgproto3.ErrorResponse:
			out = append(out, m.Code, "error")
		case *pgproto3.CommandComplete:
			out = append(out, string(m.CommandTag))
		case *pgproto3.NoData:
			out = append(out, "NoData")
		case *pgproto3.ReadyForQuery:
			return strings.Join(out, " ")
		}
	}
}

// TestAdviceOnScripts plays the scripts of zproxy's own forms with advice, but for the one about advice,
// and compares what was advised with testdata/advised: those designs, and no others, are the bad
// ones. -write-page writes it.
func TestAdviceOnScripts(t *testing.T) {
	var paths []string
	err := filepath.WalkDir("testdata/zproxy", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	var out strings.Builder
	for _, path := range slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == "advice" }) {
		p := newPlayer(t, openDB(t, inMemory).url()+adviceOn)
		var noticed []string
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			answer, _ := p.run(d) // how else it differs from what TestScripts wants does not matter
			for line := range strings.Lines(answer) {
				if strings.HasPrefix(line, "NOTICE 01Z") {
					noticed = append(noticed, filepath.Base(path)+strings.TrimPrefix(line, "NOTICE"))
				}
			}
			return d.Expected
		})
		slices.Sort(noticed)
		out.WriteString(strings.Join(slices.Compact(noticed), ""))
	}
	testpage.Check(t, "testdata/advised", out.String(), *writePage)
}
