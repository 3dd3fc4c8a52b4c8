package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/pglocal"
)

// encodedRound are texts for each encoding, in its bytes.
var encodedRound = map[string]string{
	"LATIN1": "\xe4\xf6\xfc", "LATIN9": "\xa4 \xe4", "WIN1252": "\x80\x93x\x94", "KOI8R": "\xf0\xd2\xc9\xd7\xc5\xd4",
	"WIN1251": "\xcf\xf0\xe8\xe2\xe5\xf2", "EUC_JP": "\xc6\xfc\xcb\xdc", "SJIS": "\x93\xfa\x96{ \x83\\ \xb1",
	"BIG5": "\xa4\xa4\xa4\xe5 \xae\\", "GBK": "\xd6\xd0\xce\xc4", "UHC": "\xc7\xd1\x81A", "GB18030": "\xd6\xd0\x810\x810",
	"UTF8":      "\xc3\xa4\xf0\x9f\x98\x80",
	"SQL_ASCII": "\xc3\xa4",
}

// TestEncodings talks in many encodings, here and with PostgreSQL: queries, names, parameters and rows in both formats,
// arrays and rows of texts, notices, errors, and COPY. Both answer the same bytes.
func TestEncodings(t *testing.T) {
	address := pglocal.Start(t)
	for encoding, text := range encodedRound {
		t.Run(encoding, func(t *testing.T) {
			want := encodedTalk(t, "postgres://postgres@"+address+"/postgres?sslmode=disable", encoding, text)
			if !strings.Contains(want, text) {
				t.Fatalf("PostgreSQL answers without %q:\n%q", text, want)
			}
			for _, k := range []kind{inMemory, onPebble} {
				got := encodedTalk(t, openDB(t, k).url(), encoding, text)
				gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
				for i := range min(len(gotLines), len(wantLines)) {
					if gotLines[i] != wantLines[i] {
						t.Fatalf("%s answers\n%q\nPostgreSQL\n%q", k.name, gotLines[i], wantLines[i])
					}
				}
				if len(gotLines) != len(wantLines) {
					t.Errorf("%s answers %d lines, PostgreSQL %d", k.name, len(gotLines), len(wantLines))
				}
			}
		})
	}
}

// encodedTalk is what a server answers a client of an encoding.
func encodedTalk(t *testing.T, url, encoding, text string) string {
	t.Helper()
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	config.RuntimeParams["client_encoding"] = encoding
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { fmt.Fprintf(&out, "notice %s\n", n.Message) }
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		fmt.Fprintf(&out, "notification %s %s\n", n.Channel, n.Payload)
	}
	c, err := pgconn.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	talk := encodedTalker{t, c, &out}
	quoted := "'" + text + "'"
	talk.say("SELECT pg_client_encoding(), " + quoted + " AS \"" + text + "\", " +
		"encode(convert_to(" + quoted + ", 'UTF8'), 'hex')")
	talk.say("CREATE TABLE e (a text, b text[], j jsonb, n int)")
	talk.say("SELECT \"" + text + "\" FROM e")
	talk.say("SELECT " + quoted + "::int")
	talk.say("DO $$ BEGIN RAISE NOTICE '" + text + "'; END $$")
	talk.say("LISTEN \"" + text + "\"; NOTIFY \"" + text + "\", " + quoted)
	talk.say("SELECT U&'\\20AC', chr(233)")
	talk.say("SELECT U&'\\FFFF'::int")
	for _, format := range []int16{0, 1} {
		talk.read(c.ExecParams(t.Context(), "INSERT INTO e (a, b, j) VALUES ($1, ARRAY[$1, 'x'], to_jsonb($1::text)) "+
			"RETURNING a, b, j, ROW(a, 'y'::text)", [][]byte{[]byte(text)}, []uint32{25}, []int16{format},
			[]int16{format}).Read())
		talk.read(c.ExecParams(t.Context(), "SELECT $1::int, '"+text+"'::text", [][]byte{[]byte(text)}, []uint32{23},
			nil, nil).Read())
		talk.read(c.ExecParams(t.Context(), "SELECT $1::text", [][]byte{{0xff, 0}}, []uint32{25},
			[]int16{format}, nil).Read())
	}
	if _, err := c.Prepare(t.Context(), "p"+text, "SELECT a FROM e WHERE a = $1", nil); err != nil {
		fmt.Fprintf(&out, "prepare %v\n", err)
	}
	talk.read(c.ExecPrepared(t.Context(), "p"+text, [][]byte{[]byte(text)}, nil, nil).Read())
	talk.say("SELECT name FROM pg_prepared_statements")
	talk.copied("", text)
	talk.copied(" (FORMAT csv, HEADER)", "x,b,j,n\n"+text)
	talk.copied(" (ENCODING 'UTF8')", "ä€")
	talk.copied(" (ENCODING 'LATIN1')", "\xe9")
	talk.copied(" (FORMAT binary)", "")
	talk.say("SET client_encoding = 'UTF8'; SELECT a FROM e ORDER BY a")
	talk.say("SET client_encoding = 'LATIN1'; SELECT U&'\\00E4'; SET client_encoding = 'UTF8'; SELECT U&'\\00E4'")
	talk.say("DROP TABLE e")
	return out.String()
}

// encodedTalker notes what it is answered.
type encodedTalker struct {
	t   *testing.T
	c   *pgconn.PgConn
	out *strings.Builder
}

func (e encodedTalker) say(sql string) {
	results, err := e.c.Exec(e.t.Context(), sql).ReadAll()
	for _, r := range results {
		e.read(r)
	}
	e.failed(err)
}

func (e encodedTalker) failed(err error) {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		fmt.Fprintf(e.out, "%s %s %s %s %s\n", refused.Code, refused.Message, refused.Detail, refused.Hint,
			refused.Where)
	} else if err != nil {
		e.t.Fatal(err)
	}
}

func (e encodedTalker) read(r *pgconn.Result) {
	for _, f := range r.FieldDescriptions {
		fmt.Fprintf(e.out, "%s ", f.Name)
	}
	for _, row := range r.Rows {
		fmt.Fprintf(e.out, "\n%s", bytes.Join(row, []byte(" | ")))
	}
	fmt.Fprintf(e.out, "\n%s\n", r.CommandTag)
	e.failed(r.Err)
}

// copied sends a row by COPY, if there is one, and reads all rows.
func (e encodedTalker) copied(options, text string) {
	if text != "" {
		data := strings.NewReader(strings.ReplaceAll(text, `\`, `\\`) + "\n")
		_, err := e.c.CopyFrom(e.t.Context(), data, "COPY e (a) FROM STDIN"+options)
		e.failed(err)
	}
	var data bytes.Buffer
	_, err := e.c.CopyTo(e.t.Context(), &data, "COPY (SELECT a, b, j FROM e ORDER BY a, b) TO STDOUT"+options)
	fmt.Fprintf(e.out, "%s\n", data.String())
	e.failed(err)
}
