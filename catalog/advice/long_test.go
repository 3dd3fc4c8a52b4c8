package advice

import (
	"testing"

	"zproxy/catalog"
)

// TestLongKeys holds which columns are long, by their types and by their values.
func TestLongKeys(t *testing.T) {
	for _, c := range []struct {
		sql   string
		width float64
		want  string
	}{
		{"varchar(100)", 0, ""},
		{"varchar(101)", 0, "ALTER TABLE t ALTER COLUMN c TYPE character varying(100)"},
		{"varchar", 0, ""},
		{"char(100)", 0, ""},
		{"char(101)", 0, "ALTER TABLE t ALTER COLUMN c TYPE character(100)"},
		{"bit(800)", 0, ""},
		{"bit(801)", 0, "ALTER TABLE t ALTER COLUMN c TYPE bit(800)"},
		{"varbit(801)", 0, "ALTER TABLE t ALTER COLUMN c TYPE bit varying(800)"},
		{"varbit", 0, ""},
		{"text", 0, ""},
		{"int", 0, ""},
		{"timestamp(3)", 0, "01Z01"},
		{"numeric(500)", 0, ""},
		{"text", 100, ""},
		{"text", 100.5, "ALTER TABLE t ADD COLUMN c_md5 uuid, ALTER COLUMN c_md5 TYPE uuid USING md5(c)::uuid, DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (c_md5)"},
		{"bytea", 101, "ALTER TABLE t ADD COLUMN c_md5 uuid, ALTER COLUMN c_md5 TYPE uuid USING md5(c)::uuid, DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (c_md5)"},
		{"varchar(9999)", 101, "ALTER TABLE t ADD COLUMN c_md5 uuid, ALTER COLUMN c_md5 TYPE uuid USING md5(c)::uuid, DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (c_md5)"},
		{"varbit", 101, "ALTER TABLE t ADD COLUMN c_md5 uuid, ALTER COLUMN c_md5 TYPE uuid USING md5(c::text)::uuid, DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (c_md5)"},
		{"int[]", 101, "ALTER TABLE t ADD COLUMN c_md5 uuid, ALTER COLUMN c_md5 TYPE uuid USING md5(c::text)::uuid, DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (c_md5)"},
	} {
		table := made(t, "CREATE TABLE t (c "+c.sql+" PRIMARY KEY)")
		id := table.Columns[0].ID
		known := Known{Stats: catalog.Stats{Known: true, Rows: 1,
			Columns: map[uint32]catalog.ColumnStats{id: {Width: c.width}}}}
		got := ""
		for _, n := range On(table, nil, known) {
			if got = n.Hint; n.Code != "01Z13" {
				got = string(n.Code)
			}
		}
		if got != c.want {
			t.Errorf("%s of %v bytes: %q, want %q", c.sql, c.width, got, c.want)
		}
	}
}

// TestLongAndShort mends each column of a key in its own way, and takes long ones out of an index.
func TestLongAndShort(t *testing.T) {
	table := made(t, `CREATE TABLE t (a text, "B" varchar(200), n int, d varchar(300), PRIMARY KEY (a, "B", n)) WITH (shards = 4, ttl = '1 day'); CREATE INDEX i ON t (d DESC, a, n) INCLUDE ("B") WITH (shards = 4, covering = none)`)
	known := Known{Stats: catalog.Stats{Columns: map[uint32]catalog.ColumnStats{1: {Width: 200}, 2: {Width: 5}}}}
	want := `the primary key of table "t" holds "a", "B", whose values have more than 100 bytes on average, in every key (advice 01Z13)
ALTER TABLE t ADD COLUMN a_md5 uuid, ALTER COLUMN a_md5 TYPE uuid USING md5(a)::uuid, ALTER COLUMN "B" TYPE character varying(100), DROP CONSTRAINT t_pkey, RESET (shards), ADD PRIMARY KEY (a_md5, "B", n)
index "i" of table "t" holds "d", "a", whose values have more than 100 bytes on average, in every key (advice 01Z13)
ALTER TABLE t ALTER COLUMN d TYPE character varying(100), ADD COLUMN a_md5 uuid, ALTER COLUMN a_md5 TYPE uuid USING md5(a)::uuid; DROP INDEX i; CREATE INDEX i ON t (d DESC, a_md5, n) INCLUDE ("B") WITH (covering = 'none')
`
	if got := shown(append(On(table, nil, known), On(table, &table.Indexes[0], known)...)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
