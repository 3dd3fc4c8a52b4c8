package e2e

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// TestDenied takes rights on DynamoDB away from the server, and wants the statements that need them to say
// which, on what. The others go on, and so does the session.
func TestDenied(t *testing.T) {
	var denied atomic.Value // the actions and tables that are not allowed: "action table-prefix"
	denied.Store("")
	f := dynamofake.New(dynamofake.Options{Faults: dynamofake.Faults{Deny: func(action, table string) bool {
		of, on, _ := strings.Cut(denied.Load().(string), " ")
		return action == of && (table == "*" || strings.HasPrefix(table, on))
	}}})
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Region: "us-east-1", Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client("")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	c := serve(t, st, session.Options{Shared: true}).connect(t)
	must(t, c, "CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE INDEX ta ON t (a)",
		"INSERT INTO t VALUES (1, 1), (2, 2)")
	askFake(t, f, "CreateTable", `{"TableName": "Theirs", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}`)
	must(t, c, "CREATE FOREIGN TABLE o (id text) SERVER dynamodb OPTIONS (table_name 'Theirs')")
	const rows, entries = "zproxy.public.t.", "zproxy.public.t.ta."
	for _, d := range []struct{ right, sql, where string }{
		{"dynamodb:Query " + entries, "SELECT id FROM t WHERE a = 1", `index "ta"`},
		{"dynamodb:BatchGetItem " + rows, "SELECT * FROM t WHERE id IN (1, 2)", `table "t"`},
		{"dynamodb:GetItem " + rows, "SELECT * FROM t WHERE id = 1", `table "t"`},
		{"dynamodb:Scan " + rows, "SELECT count(a + 0) FROM t", `table "t"`},
		{"dynamodb:PutItem " + entries, "INSERT INTO t VALUES (3, 3)", `index "ta"`},
		{"dynamodb:PutItem " + rows, "UPDATE t SET a = 7 WHERE id = 1", `table "t"`},
		{"dynamodb:DeleteItem " + rows, "DELETE FROM t WHERE id = 1", `table "t"`},
		{"dynamodb:PutItem zproxy.public.t.tb.", "CREATE INDEX tb ON t (a, id)", `space "public.t.tb.`},
		{"dynamodb:CreateTable ", "CREATE TABLE u (id int PRIMARY KEY)", `space "public.u.`},
		{"dynamodb:UpdateTable " + rows, "ALTER TABLE t SET (max_read_units = 10)", `table "t"`},
		{"dynamodb:GetItem Theirs", "SELECT * FROM o WHERE id = 'a'", `foreign table "o"`},
		{"dynamodb:BatchGetItem Theirs", "SELECT * FROM o WHERE id IN ('a', 'b')", `foreign table "o"`},
		{"dynamodb:DescribeTable Theirs", "CREATE FOREIGN TABLE p (id text) SERVER dynamodb OPTIONS (table_name 'Theirs')", `foreign table "o"`},
		{"dynamodb:ListTables *", "IMPORT FOREIGN SCHEMA public FROM SERVER dynamodb INTO public", "the store"},
	} {
		denied.Store(d.right)
		_, err := c.Exec(t.Context(), d.sql)
		var e *pgconn.PgError
		action, _, _ := strings.Cut(d.right, " ")
		if !errors.As(err, &e) || e.Code != "42501" ||
			!strings.HasPrefix(e.Message, "the server has no permission for "+d.where) ||
			!strings.HasPrefix(e.Detail, "The store says: "+action+" ") || strings.Contains(e.Detail, "arn:") ||
			!strings.Contains(e.Hint, `{"Effect": "Allow", "Action": "`+action+`", "Resource": "`) ||
			strings.Contains(e.Hint, "000000000000") {
			t.Errorf("%s without %s: %+v", d.sql, d.right, e)
		}
	}
	denied.Store("dynamodb:PutItem zproxy.public.t.tc.")
	must(t, c, "CREATE INDEX CONCURRENTLY tc ON t (a, id)") // fails in the background, and is not tried for ever
	_, err = c.Exec(t.Context(), "SELECT zproxy.wait_for_index('t', 'tc')")
	var failed *pgconn.PgError
	if !errors.As(err, &failed) || failed.Code != "42501" ||
		!strings.Contains(failed.Message, "the server has no permission for index \"tc\"") {
		t.Errorf("the build ends with %+v", failed)
	}
	denied.Store("")
	must(t, c, "BUILD INDEX tc ON t SYNC")
	var ids []int
	if err := c.QueryRow(t.Context(), "SELECT array_agg(id ORDER BY id) FROM t WHERE a = id").Scan(&ids); err != nil ||
		!slices.Equal(ids, []int{1, 2}) {
		t.Errorf("%v, %v", ids, err)
	}
}

// askFake sends a fake a request.
func askFake(t *testing.T, f *dynamofake.Fake, operation, body string) {
	t.Helper()
	endpoint, err := f.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := askDynamoDB(t, endpoint, operation, body); err != nil {
		t.Fatal(err)
	}
}
