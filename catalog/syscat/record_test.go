package syscat

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
)

var record = flag.Bool("record", false, "record relations.txt from PostgreSQL")

// relationsQuery lists the columns of all relations. A domain is what lies below it.
const relationsQuery = `
WITH RECURSIVE base(oid, below, mod) AS (
	SELECT oid, oid, -1 FROM pg_type WHERE typtype <> 'd'
	UNION ALL
	SELECT t.oid, b.below, greatest(t.typtypmod, b.mod) FROM pg_type t JOIN base b ON t.typbasetype = b.oid AND t.typtype = 'd'
)
SELECT c.oid, n.nspname, c.relname, c.relkind::text, a.attname, t.typname, greatest(a.atttypmod, b.mod), a.attnotnull
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
JOIN base b ON b.oid = a.atttypid
JOIN pg_type t ON t.oid = b.below
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
ORDER BY n.nspname DESC, c.relname, a.attnum`

// TestRelations wants relations.txt to be what PostgreSQL has.
func TestRelations(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+pglocal.Start(t)+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), relationsQuery)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	last := uint32(0)
	for rows.Next() {
		var id uint32
		var schema, name, kind, column, typ string
		var mod int
		var notNull bool
		if err := rows.Scan(&id, &schema, &name, &kind, &column, &typ, &mod, &notNull); err != nil {
			t.Fatal(err)
		}
		if id != last {
			fmt.Fprintf(&out, "%d %s %s %s\n", id, schema, name, kind)
			last = id
		}
		fmt.Fprintf(&out, "\t%s %s", column, typ)
		if mod >= 0 {
			fmt.Fprintf(&out, " %d", mod)
		}
		if notNull {
			out.WriteString(" !")
		}
		out.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if *record {
		if err := os.WriteFile("relations.txt", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != relationsText {
		t.Error("relations.txt is not what PostgreSQL has; run this test with -record")
	}
}

// staticQueries make the rows of staticText. Numbers stand where functions would.
var staticQueries = []struct{ catalog, query string }{
	{"pg_type", `SELECT oid, typname, typnamespace, typowner, typlen, typbyval, typtype, typcategory, typispreferred, typisdefined,
		typdelim, typrelid, typsubscript::oid, typelem, typarray, typinput::oid, typoutput::oid, typreceive::oid, typsend::oid,
		typmodin::oid, typmodout::oid, typanalyze::oid, typalign, typstorage, typnotnull, typbasetype, typtypmod, typndims, typcollation
		FROM pg_type WHERE typnamespace = 11 AND typrelid = 0 AND (typelem = 0 OR NOT EXISTS (SELECT FROM pg_type e WHERE e.oid = pg_type.typelem AND e.typrelid <> 0))
		OR oid IN ('pg_type'::regtype, 'pg_attribute'::regtype, 'pg_type[]'::regtype, 'pg_attribute[]'::regtype) ORDER BY oid`}, // which functions take
	{"pg_am", `SELECT oid, amname, amhandler::oid, amtype FROM pg_am WHERE amname IN ('heap', 'btree', 'hash', 'gist', 'gin', 'brin') ORDER BY oid`},
	{"pg_opfamily", `SELECT oid, opfmethod, opfname, opfnamespace, opfowner FROM pg_opfamily WHERE opfmethod IN (403, 405, 783, 2742, 3580) ORDER BY oid`},
	{"pg_opclass", `SELECT oid, opcmethod, opcname, opcnamespace, opcowner, opcfamily, opcintype, opcdefault, opckeytype FROM pg_opclass WHERE opcmethod IN (403, 405, 783, 2742, 3580) ORDER BY oid`},
	{"pg_collation", `SELECT oid, collname, collnamespace, collowner, collprovider, collisdeterministic, collencoding, collcollate, collctype FROM pg_collation WHERE collname IN ('default', 'C', 'POSIX', 'ucs_basic') ORDER BY oid`},
	{"pg_language", `SELECT CASE WHEN lanispl THEN 13544 ELSE oid END AS oid, lanname, lanowner, lanispl, lanpltrusted, CASE WHEN lanispl THEN 0 ELSE lanplcallfoid END AS lanplcallfoid,
		CASE WHEN lanispl THEN 0 ELSE laninline END AS laninline, CASE WHEN lanispl THEN 0 ELSE lanvalidator END AS lanvalidator FROM pg_language ORDER BY 1`},
	{"pg_settings", `SELECT name, unit, category, context, vartype, min_val, max_val, enumvals FROM pg_settings ORDER BY name`},
	{"pg_description", `SELECT CASE WHEN description LIKE 'PL/pgSQL%' THEN 13544 ELSE objoid END AS objoid, classoid, objsubid, description FROM pg_description
		WHERE classoid IN ('pg_type'::regclass, 'pg_language'::regclass, 'pg_collation'::regclass, 'pg_ts_config'::regclass, 'pg_ts_dict'::regclass,
			'pg_ts_parser'::regclass, 'pg_ts_template'::regclass)
		OR classoid = 'pg_am'::regclass AND objoid IN (SELECT oid FROM pg_am WHERE amname IN ('heap', 'btree', 'hash', 'gist', 'gin', 'brin')) ORDER BY classoid, 1`},
	{"pg_range", `SELECT rngtypid, rngsubtype, rngmultitypid, rngcollation, rngsubopc, rngcanonical::oid, rngsubdiff::oid FROM pg_range ORDER BY rngtypid`},
	{"pg_ts_config", `SELECT oid, cfgname, cfgnamespace, cfgowner, cfgparser FROM pg_ts_config ORDER BY oid`},
	{"pg_ts_config_map", `SELECT mapcfg, maptokentype, mapseqno, mapdict FROM pg_ts_config_map ORDER BY 1, 2, 3`},
	{"pg_ts_dict", `SELECT oid, dictname, dictnamespace, dictowner, dicttemplate, dictinitoption FROM pg_ts_dict ORDER BY oid`},
	{"pg_ts_parser", `SELECT oid, prsname, prsnamespace, prsstart::oid, prstoken::oid, prsend::oid, prsheadline::oid, prslextype::oid FROM pg_ts_parser ORDER BY oid`},
	{"pg_ts_template", `SELECT oid, tmplname, tmplnamespace, tmplinit::oid, tmpllexize::oid FROM pg_ts_template ORDER BY oid`},
	{"pg_tablespace", `SELECT oid, spcname, spcowner FROM pg_tablespace ORDER BY oid`},
}

// TestStatic wants static.txt to be what PostgreSQL has. Minor versions differ in their
// settings, so only the one that was recorded is compared.
func TestStatic(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), "postgres://postgres@"+pglocal.Start(t)+"/postgres")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var version string
	if err := conn.QueryRow(t.Context(), "SHOW server_version_num").Scan(&version); err != nil {
		t.Fatal(err)
	}
	if !*record && !strings.Contains(staticText, "\t"+version+"\t") {
		t.Skipf("static.txt was recorded from another minor version than %s", version)
	}
	var out strings.Builder
	for _, q := range staticQueries {
		var rows bytes.Buffer
		if _, err := conn.PgConn().CopyTo(t.Context(), &rows, "COPY ("+q.query+") TO STDOUT"); err != nil {
			t.Fatal(err)
		}
		described, err := conn.Prepare(t.Context(), "", q.query)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(q.catalog)
		for _, f := range described.Fields {
			out.WriteString(" " + f.Name)
		}
		out.WriteByte('\n')
		for line := range strings.Lines(rows.String()) {
			out.WriteString("\t" + line)
		}
	}
	if *record {
		if err := os.WriteFile("static.txt", []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if out.String() != staticText {
		t.Error("static.txt is not what PostgreSQL has; run this test with -record")
	}
}
