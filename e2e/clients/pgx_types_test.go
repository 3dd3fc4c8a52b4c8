package clients

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// typesRun meets the types of types.sql by their names.
type typesRun struct {
	pgxRun
	columns [][2]string // of the table things: name and type
	oids    map[string]uint32
	names   map[uint32]string // of those
}

// pgxTypesClient reads and sends the values of types of a database's own in both formats, and bytes that are none.
func pgxTypesClient(ctx context.Context, p printer) error {
	r := &typesRun{pgxRun: pgxRun{printer: p, ctx: ctx, mode: pgx.QueryExecModeDescribeExec}}
	var err error
	if r.conn, err = r.connect(); err != nil {
		return err
	}
	for _, part := range []func() error{r.make, r.bytes, r.thereAndBack, r.structs, r.copied, r.malformed} {
		if err := part(); err != nil {
			r.failed("FAILED", err)
		}
	}
	return r.conn.Close(ctx)
}

// make makes the schema and learns its types.
func (r *typesRun) make() error {
	text, err := os.ReadFile("types/types.sql")
	if err != nil {
		return err
	}
	if _, err := r.conn.PgConn().Exec(r.ctx, string(text)).ReadAll(); err != nil {
		return err
	}
	rows, err := r.conn.Query(r.ctx, `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = 'things'::regclass AND attnum > 1 ORDER BY attnum`)
	if err != nil {
		return err
	}
	r.columns, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c [2]string, err error) {
		return c, row.Scan(&c[0], &c[1])
	})
	if err != nil {
		return err
	}
	r.oids, r.names = map[string]uint32{}, map[uint32]string{}
	rows, err = r.conn.Query(r.ctx, "SELECT oid::regtype::text, oid FROM pg_type WHERE typtype <> 'p'")
	if err != nil {
		return err
	}
	var name string
	var oid uint32
	if _, err = pgx.ForEachRow(rows, []any{&name, &oid}, func() error {
		r.oids[name], r.names[oid] = oid, name
		return nil
	}); err != nil {
		return err
	}
	r.title("types by name")
	// Which is found by its name alone.
	hstore := &pgtype.Type{Name: "hstore", OID: r.oids["hstore"], Codec: pgtype.HstoreCodec{}}
	r.conn.TypeMap().RegisterType(hstore)
	r.conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "_hstore", OID: r.oids["hstore[]"], Codec: &pgtype.ArrayCodec{ElementType: hstore},
	})
	for _, name := range []string{
		"mood", "mood[]", "other.mood", "positive", "positive[]", "even", "short", "moods", "address", "address[]",
		"near", "person", "person[]", "floatrange", "moodrange", "moodrange[]", "floatmultirange", "moodsets",
		"checked", "checked[]", "nothing",
	} {
		t, err := r.conn.LoadType(r.ctx, name)
		if err != nil {
			r.failed(name, err)
			continue
		}
		r.conn.TypeMap().RegisterType(t)
		r.line(t.Name, fmt.Sprintf("%T", t.Codec))
	}
	return nil
}

// failed prints an error, of which those of the driver itself may have OIDs.
func (r *typesRun) failed(what string, err error) {
	var sent *pgconn.PgError
	if err != nil && !errors.As(err, &sent) {
		err = errors.New("of the driver")
	}
	r.line(what, err)
}

// raw is the one value that a query gives for values in formats that it is sent.
func (r *typesRun) raw(query string, format int16, oid uint32, value []byte) ([]byte, *pgconn.FieldDescription, error) {
	var oids []uint32
	var values [][]byte
	if oid != 0 {
		oids, values = []uint32{oid}, [][]byte{value}
	}
	result := r.conn.PgConn().ExecParams(r.ctx, query, values, oids, []int16{format}, []int16{format}).Read()
	if result.Err != nil || len(result.Rows) == 0 {
		return nil, nil, result.Err
	}
	return result.Rows[0][0], &result.FieldDescriptions[0], nil
}

// masked is bytes in which the OIDs of types that are not PostgreSQL's have the names of these.
func (r *typesRun) masked(p []byte) string {
	if p == nil {
		return "NULL"
	}
	var out strings.Builder
	for len(p) > 0 {
		if len(p) >= 4 {
			oid := binary.BigEndian.Uint32(p)
			if name := r.names[oid]; name != "" && (oid >= 16384 || name == "hstore") {
				out.WriteString("<" + name + ">")
				p = p[4:]
				continue
			}
		}
		out.WriteString(hex.EncodeToString(p[:1]))
		p = p[1:]
	}
	return out.String()
}

// bytes shows the values of both formats, and sends them back as parameters of their types.
func (r *typesRun) bytes() error {
	for format, called := range []string{"text", "binary"} {
		r.title("bytes in " + called)
		for _, c := range r.columns {
			for id := 1; id <= 4; id++ {
				from := fmt.Sprintf("FROM things WHERE id = %d", id)
				sent, f, err := r.raw("SELECT "+c[0]+" "+from, int16(format), 0, nil)
				if err != nil {
					return err
				}
				shown := fmt.Sprintf("%q", sent)
				if format == 1 {
					shown = r.masked(sent)
				}
				oid := r.oids[strings.Split(c[1], "(")[0]]
				back, _, err := r.raw("SELECT $1", int16(format), oid, sent)
				equal := fmt.Sprintf("SELECT $1 IS NOT DISTINCT FROM %s %s", c[0], from)
				same, _, err2 := r.raw(equal, int16(format), oid, sent)
				kind := r.names[f.DataTypeOID]
				r.line(c[0], kind, f.DataTypeSize, f.TypeModifier, shown, bytes.Equal(sent, back), same, err, err2)
			}
		}
	}
	return nil
}

// thereAndBack has the driver read the values and send them.
func (r *typesRun) thereAndBack() error {
	for _, format := range []int16{pgx.TextFormatCode, pgx.BinaryFormatCode} {
		r.title(fmt.Sprint("values in format ", format))
		for _, c := range r.columns {
			query := "SELECT id, " + c[0] + " FROM things ORDER BY id"
			rows, err := r.conn.Query(r.ctx, query, pgx.QueryResultFormats{format})
			if err != nil {
				return err
			}
			found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) ([]any, error) { return row.Values() })
			if err != nil {
				r.failed(c[0], err)
				continue
			}
			for _, v := range found {
				var same bool
				var text *string
				query := fmt.Sprintf("SELECT $1::%s IS NOT DISTINCT FROM %s, $1::%[1]s::text FROM things WHERE id = $2",
					c[1], c[0])
				err := r.conn.QueryRow(r.ctx, query, v[1], v[0]).Scan(&same, &text)
				if text == nil {
					text = new("NULL")
				}
				r.line(c[0], *text, same, err != nil)
			}
		}
	}
	return nil
}

// address and person are the rows of types of these names.
type address struct {
	Street *string
	Zip    *int32
	Since  pgtype.Range[pgtype.Date]
}

type person struct {
	Name   string
	Mood   *string
	Home   *address
	Others []*address
	Extra  pgtype.Hstore
	Score  pgtype.Numeric
	At     pgtype.Timestamptz
}

func (r *typesRun) structs() error {
	r.title("structs")
	show := func(query string, args ...any) {
		var text string
		var back person
		rows, err := r.conn.Query(r.ctx, query, args...)
		if err != nil {
			r.failed(query, err)
			return
		}
		_, err = pgx.ForEachRow(rows, []any{&back, &text}, func() error {
			since := back.Home != nil && back.Home.Since.Valid
			r.line(back.Name, since, len(back.Others), len(back.Extra), back.Score, text)
			return nil
		})
		r.failed(query, err)
	}
	eve := person{Name: "eve", Mood: new("ok"), Home: &address{Zip: new(int32(3))}, Others: []*address{{}, nil}}
	show("SELECT $1::person, $1::person::text", eve)
	show("SELECT p, p::text FROM unnest($1::person[]) p", []person{eve, eve})
	show("SELECT a_person, a_person::text FROM things WHERE a_person IS NOT NULL AND (a_person).name = $1", "ann")
	eve.Home.Zip = new(int32(-1))
	show("SELECT $1::person, $1::person::text", eve)
	eve.Name = strings.Repeat("x", 21)
	show("SELECT $1::person, $1::person::text", eve)
	var ranges pgtype.Multirange[pgtype.Range[pgtype.Float8]]
	r.line(r.conn.QueryRow(r.ctx, "SELECT a_floatmultirange * $1::floatmultirange FROM things WHERE id = 1", "{[1.5,3.5)}").
		Scan(&ranges), fmt.Sprint(ranges))
	return nil
}

// copied has the driver write the table's rows in binary, and the server itself.
func (r *typesRun) copied() error {
	r.title("COPY in binary")
	names := []string{"id", "a_mood", "some_positive", "an_address", "some_addresses", "a_numeric", "a_hstore"}
	home := address{Street: new("x"), Since: pgtype.Range[pgtype.Date]{
		Lower: pgtype.Date{Time: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), Valid: true}, LowerType: pgtype.Inclusive, UpperType: pgtype.Unbounded, Valid: true}}
	n, err := r.conn.CopyFrom(r.ctx, pgx.Identifier{"returned"}, names, pgx.CopyFromRows([][]any{
		{int32(5), "ok", []int32{1, 2}, home, []address{home, {}}, pgtype.Numeric{Int: big.NewInt(-15), Exp: -1, Valid: true}, pgtype.Hstore{"a": nil}},
		{int32(6), nil, nil, nil, nil, nil, nil},
	}))
	r.failed(fmt.Sprint(n), err)
	r.rows("SELECT r::text FROM (SELECT " + strings.Join(names, ", ") + " FROM returned) r ORDER BY id")
	n, err = r.conn.CopyFrom(r.ctx, pgx.Identifier{"checked"}, []string{"p", "s"}, pgx.CopyFromRows([][]any{{int32(1), "x"}, {int32(0), "x"}}))
	r.failed(fmt.Sprint(n), err)
	const same = "SELECT count(*) FROM things t JOIN returned r ON t IS NOT DISTINCT FROM r"
	r.exec("TRUNCATE returned")
	var out bytes.Buffer
	tag, err := r.conn.PgConn().CopyTo(r.ctx, &out, "COPY things TO STDOUT (FORMAT binary)")
	r.line(tag, err, r.masked(out.Bytes()))
	tag, err = r.conn.PgConn().CopyFrom(r.ctx, &out, "COPY returned FROM STDIN (FORMAT binary)")
	r.line(tag, err)
	r.rows(same)
	return nil
}

// field is a counted value, behind the OID of its type where that is not 0.
func field(oid uint32, p []byte) []byte {
	out := []byte{}
	if oid != 0 {
		out = binary.BigEndian.AppendUint32(out, oid)
	}
	if p == nil {
		return binary.BigEndian.AppendUint32(out, ^uint32(0))
	}
	return append(binary.BigEndian.AppendUint32(out, uint32(len(p))), p...)
}

func words(list ...uint32) (out []byte) {
	for _, w := range list {
		out = binary.BigEndian.AppendUint32(out, w)
	}
	return out
}

// malformed sends what is no value of a type, or hardly, and cuts what is one after each byte.
func (r *typesRun) malformed() error {
	r.title("bytes that are hardly values")
	const text, int4, int8 = 25, 23, 20
	join := func(list ...[]byte) []byte { return bytes.Join(list, nil) }
	one, zero, street := words(1), words(0), []byte("x")
	for _, c := range []struct {
		kind  string
		bytes []byte
	}{
		{"mood", []byte("ok")}, {"mood", []byte("no")}, {"mood", nil}, {"mood", []byte{}}, {"mood", []byte{0xff}}, {"mood", []byte("ok\x00")},
		{"positive", zero}, {"positive", words(1, 2)}, {"positive", nil}, {"even", one}, {"even", zero}, {"short", nil}, {"short", []byte("toolong")},
		{"short[]", join(words(1, 0, r.oids["short"], 1, 1), field(0, []byte("toolong")))}, {"short[]", join(words(1, 1, r.oids["short"], 1, 1), field(0, nil))},
		{"positive[]", join(words(1, 0, r.oids["positive"], 1, 1), field(0, zero))}, {"positive[]", join(words(1, 0, int4, 1, 1), field(0, one))},
		{"positive[]", join(words(1, 0, int8, 1, 1), field(0, one))}, {"positive[]", join(words(1, 0, 99999, 1, 1), field(0, one))},
		{"integer[]", join(words(1, 0, int8, 1, 1), field(0, one))}, {"integer[]", join(words(1, 0, 0, 1, 1), field(0, one))}, {"integer[]", join(words(1, 0, 9998, 1, 1), field(0, one))},
		{"integer[]", join(words(1, 0, r.oids["positive"], 1, 1), field(0, one))}, {"integer[]", join(words(1, 0, 999999, 1, 1), field(0, one))}, {"mood[]", join(words(1, 0, text, 1, 1), field(0, []byte("ok")))},
		{"mood[]", join(words(1, 0, r.oids["other.mood"], 1, 1), field(0, []byte("calm")))}, {"moods", join(words(1, 0, text, 4, 1), field(0, []byte("ok")), field(0, []byte("ok")), field(0, []byte("ok")), field(0, []byte("ok")))},
		{"address", words(3)}, {"address", words(2)}, {"address", join(words(3), field(text, street), field(int4, one), field(3912, nil))},
		{"address", join(words(3), field(text, street), field(int8, one), field(3912, nil))}, {"address", join(words(3), field(int4, one), field(int4, one), field(3912, nil))},
		{"address", join(words(3), field(1043, street), field(r.oids["positive"], one), field(3912, nil))}, {"address", join(words(3), field(99999, street), field(r.oids["positive"], one), field(3912, nil))},
		{"address", join(words(3), field(9998, street), field(r.oids["positive"], one), field(3912, nil))}, {"address", join(words(3), field(text, street), field(r.oids["positive"], zero), field(3912, nil))},
		{"address", join(words(3), field(text, street), field(r.oids["positive"], one), field(3912, nil), []byte{0})}, {"address", join(words(3), field(text, street), field(r.oids["positive"], words(1, 2)), field(3912, nil))},
		{"near", join(words(3), field(text, street), field(r.oids["positive"], words(6000)), field(3912, nil))}, {"address[]", join(words(1, 0, r.oids["address"], 1, 1), field(0, words(2)))},
		{"int4range", []byte{1}}, {"int4range", []byte{0}}, {"int4range", []byte{0xff}}, {"int4range", join([]byte{2}, field(0, words(2)), field(0, one))}, {"int4range", join([]byte{6}, field(0, one), field(0, words(2)))},
		{"int4range", join([]byte{24}, field(0, one))}, {"int4range", join([]byte{8}, field(0, one))}, {"int4range", join([]byte{2}, field(0, nil), field(0, one))}, {"floatrange", join([]byte{2}, field(0, words(0, 0)), field(0, words(0)))},
		{"moodrange", join([]byte{2}, field(0, []byte("ok")), field(0, []byte("sad")))}, {"moodrange", join([]byte{6}, field(0, []byte("sad")), field(0, []byte("no")))},
		{"int4multirange", words(0)}, {"int4multirange", words(1)}, {"int4multirange", join(words(2), field(0, []byte{1}), field(0, join([]byte{24})))}, {"int4multirange", join(words(1), field(0, []byte{0}))},
		{"int4multirange", join(words(2), field(0, join([]byte{2}, field(0, words(5)), field(0, words(9)))), field(0, join([]byte{2}, field(0, words(1)), field(0, words(6)))))}, {"int4multirange", join(words(1), field(0, nil))},
		{"hstore", words(0)}, {"hstore", words(1)}, {"hstore", words(^uint32(0))}, {"hstore", join(words(1), field(0, nil), field(0, nil))}, {"hstore", join(words(2), field(0, street), field(0, street), field(0, street), field(0, nil))},
		{"numeric", words(0, 0)}, {"numeric", words(0x10000, 0, 0x27100000)}, {"numeric", words(0x10000, 0xC0000000)}, {"numeric", words(0x10000, 0x12340000)}, {"numeric", join(words(0, 0), []byte{0})}, {"numeric", words(0x1FFFF, 0x00000001, 0x00010000)},
	} {
		p, _, err := r.raw("SELECT $1", 1, r.oids[c.kind], c.bytes)
		r.line(c.kind, r.masked(c.bytes), r.masked(p), err)
	}
	for _, value := range []string{
		"a_person FROM things WHERE id = 1", "some_addresses FROM things WHERE id = 1", "some_multiranges FROM things WHERE id = 1",
		"some_hstores FROM things WHERE id = 4", "some_moods FROM things WHERE id = 1", "a_numrange FROM things WHERE id = 1",
		"true", "'x'::\"char\"", "1::smallint", "1", "1::bigint", "1::oid", "1.5::real", "1.5::float8", "12345.678::numeric", "'x'::name", "'\\x00ff'::bytea",
		"date '2024-02-29'", "time '12:00'", "timetz '12:00+02'", "timestamp '2024-02-29 12:00'", "timestamptz '2024-02-29 12:00'", "interval '1 mon 2 days 3 s'",
		"'a0000000-0000-0000-0000-000000000001'::uuid", "'{\"a\": 1}'::json", "'{\"a\": 1}'::jsonb", "'$.a[1]'::jsonpath", "1.5::money", "B'10101'", "B'101'::varbit",
		"inet '10.0.0.1/8'", "inet '::1'", "cidr '10.0.0.0/8'", "macaddr '08:00:2b:01:02:03'", "macaddr8 '08:00:2b:01:02:03:04:05'",
		"point '(1,2)'", "lseg '[(1,2),(3,4)]'", "box '(1,2),(3,4)'", "line '{1,2,3}'", "path '[(1,2),(3,4)]'", "polygon '((1,2),(3,4),(5,6))'", "circle '<(1,2),3>'",
		"to_tsvector('simple', 'a b a')", "to_tsquery('simple', 'a & !b:*A')", "'16/B374D848'::pg_lsn", "'{1,2}'::int[]", "'1 2'::int2vector", "'1 2'::oidvector", "'(0,1)'::tid",
	} {
		if err := r.cut(value); err != nil {
			return err
		}
	}
	return nil
}

// cut sends a value of which the last bytes are missing, or which has one more.
func (r *typesRun) cut(value string) error {
	whole, f, err := r.raw("SELECT "+value, 1, 0, nil)
	if err != nil {
		r.line(value, err)
		return nil
	}
	kind, _, err := r.raw(fmt.Sprintf("SELECT %d::regtype", f.DataTypeOID), 0, 0, nil)
	if err != nil {
		return err
	}
	last, from := "", 0
	for n := range len(whole) + 3 {
		p, found := append(slices.Clone(whole), 0)[:min(n, len(whole)+1)], ""
		if n < len(whole)+2 {
			got, _, err := r.raw("SELECT $1", 1, f.DataTypeOID, p)
			if found = shown(err); err == nil {
				found = r.masked(got)
			}
		}
		if found != last && n > 0 {
			r.line(string(kind), fmt.Sprint(from, "-", n-1, " of ", len(whole)), last)
			from = n
		}
		last = found
	}
	return nil
}
