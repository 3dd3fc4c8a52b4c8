package e2e

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/session"
	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/dynamostore/dynamolocal"
	"zproxy/wire"
)

// onRemotes runs a test on DynamoDB's stand-ins, with a client of them as another program has one.
func onRemotes(t *testing.T, prefix string, test func(t *testing.T, s *server, client *dynamodb.Client)) {
	for name, endpoint := range map[string]func(t *testing.T) string{
		"fake": func(t *testing.T) string {
			f := dynamofake.New(dynamofake.Options{})
			t.Cleanup(func() { _ = f.Close() })
			endpoint, err := f.Endpoint()
			if err != nil {
				t.Fatal(err)
			}
			return endpoint
		},
		"dynamodb": func(t *testing.T) string { return dynamolocal.Start(t) },
	} {
		t.Run(name, func(t *testing.T) {
			where := endpoint(t)
			s := openDB(t, kind{name: name, shared: true, open: func(t testing.TB) store.Store {
				st, err := dynamostore.Open(t.Context(), dynamostore.Options{Endpoint: where, TablePrefix: prefix})
				if err != nil {
					t.Fatal(err)
				}
				return st
			}})
			test(t, s, dynamodb.New(dynamodb.Options{
				Region: "local", BaseEndpoint: &where,
				Credentials: credentials.NewStaticCredentialsProvider("local", "local", ""),
			}))
		})
	}
}

// tablesOf are the tables of DynamoDB that begin with a name.
func tablesOf(t *testing.T, client *dynamodb.Client, name string) (names []string) {
	t.Helper()
	pages := dynamodb.NewListTablesPaginator(client, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range page.TableNames {
			if strings.HasPrefix(table, name) {
				names = append(names, table)
			}
		}
	}
	slices.Sort(names)
	return names
}

// attributesOf are the items of the newest table that begins with a name, but for keys and versions: each on a
// line, by its attributes in their order.
func attributesOf(t *testing.T, client *dynamodb.Client, name string) string {
	t.Helper()
	tables := tablesOf(t, client, name)
	if len(tables) == 0 {
		t.Fatalf("there is no table %s...", name)
	}
	out, err := client.Scan(context.Background(),
		&dynamodb.ScanInput{TableName: &tables[len(tables)-1], ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	lines := make([]string, len(out.Items))
	for i, item := range out.Items {
		lines[i] = attributeText(&ddb.AttributeValueMemberM{Value: item})
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// attributeText shows a value with its type. Those that are zproxy's own at the top of an item are left out.
func attributeText(a ddb.AttributeValue) string {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberS:
		return "S:" + a.Value
	case *ddb.AttributeValueMemberN:
		return "N:" + a.Value
	case *ddb.AttributeValueMemberB:
		return fmt.Sprintf("B:%x", a.Value)
	case *ddb.AttributeValueMemberBOOL:
		return fmt.Sprintf("BOOL:%v", a.Value)
	case *ddb.AttributeValueMemberNULL:
		return "NULL"
	case *ddb.AttributeValueMemberL:
		parts := make([]string, len(a.Value))
		for i := range a.Value {
			parts[i] = attributeText(a.Value[i])
		}
		return "[" + strings.Join(parts, " ") + "]"
	case *ddb.AttributeValueMemberM:
		var parts []string
		for name, value := range a.Value {
			if !slices.Contains([]string{"pk", "sk", "_v", "_t"}, name) {
				parts = append(parts, name+"="+attributeText(value))
			}
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, " ") + "}"
	}
	return fmt.Sprintf("%T", a)
}

// TestAttributes reads what zproxy wrote with the client of another program: native values under the names of
// their columns, as docs/dynamodb.md has it, also when columns have come, gone, and been called otherwise.
func TestAttributes(t *testing.T) {
	onRemotes(t, "native", func(t *testing.T, s *server, client *dynamodb.Client) {
		c := s.connect(t)
		for _, step := range []struct{ sql, want string }{
			{`CREATE TABLE p (id int PRIMARY KEY, name text, born date, score numeric(6,2), tags text[], doc jsonb, "pk" bytea, "_v" bool, "größe" float8);
			  INSERT INTO p VALUES (1, 'Ada', '1815-12-10', 99.5, '{a,b}', '{"x": [1, true]}', '\x00ff', true, 1.65), (2, '', NULL, 'NaN', '{}', '"s"', '', false, '-Infinity')`,
				`{__v=BOOL:false _pk=B: doc=S:"s" größe=S:-Infinity id=N:2 name=S: score=S:NaN tags=[]}
{__v=BOOL:true _pk=B:00ff born=S:1815-12-10 doc={x=[N:1 BOOL:true]} größe=N:1.65 id=N:1 name=S:Ada score=N:99.5 tags=[S:a S:b]}`},
			// What a column has left stays in rows until they are written.
			{`ALTER TABLE p DROP COLUMN "pk", DROP COLUMN "_v", DROP COLUMN "größe", DROP COLUMN doc, DROP COLUMN tags; DELETE FROM p WHERE id = 2`,
				`{__v=BOOL:true _pk=B:00ff born=S:1815-12-10 doc={x=[N:1 BOOL:true]} größe=N:1.65 id=N:1 name=S:Ada score=N:99.5 tags=[S:a S:b]}`},
			{`ALTER TABLE p RENAME COLUMN name TO called; UPDATE p SET called = 'Ada L.' WHERE id = 1; INSERT INTO p (id, called) VALUES (2, 'Bob')`,
				`{born=S:1815-12-10 id=N:1 name=S:Ada L. score=N:99.5}
{id=N:2 name=S:Bob}`},
			// A name that another column has had gets a number; what a column began with is not written to rows that
			// lack it.
			{`ALTER TABLE p ADD COLUMN name int DEFAULT 7; INSERT INTO p (id, called, name) VALUES (3, 'Cy', 3); UPDATE p SET born = '2000-01-01' WHERE id = 1`,
				`{born=S:2000-01-01 id=N:1 name.10=N:7 name=S:Ada L. score=N:99.5}
{id=N:2 name=S:Bob}
{id=N:3 name.10=N:3 name=S:Cy}`},
			// Another type is another table, with the same attributes, in which no row lacks anything.
			{`ALTER TABLE p ALTER COLUMN score TYPE text USING score || ' points'`,
				`{born=S:2000-01-01 id=N:1 name.10=N:7 name=S:Ada L. score=S:99.50 points}
{id=N:2 name.10=N:7 name=S:Bob}
{id=N:3 name.10=N:3 name=S:Cy}`},
			{`ALTER TABLE p DROP COLUMN score; ALTER TABLE p ADD COLUMN score bool; UPDATE p SET score = true WHERE id IN (1, 3)`,
				`{born=S:2000-01-01 id=N:1 name.10=N:7 name=S:Ada L. score.11=BOOL:true}
{id=N:2 name.10=N:7 name=S:Bob}
{id=N:3 name.10=N:3 name=S:Cy score.11=BOOL:true}`},
			// The table of DynamoDB keeps the name that the table was made with.
			{`ALTER TABLE p RENAME TO people; DELETE FROM people WHERE id < 3; UPDATE people SET called = NULL; INSERT INTO people (id) VALUES (4)`,
				`{id=N:3 name.10=N:3 score.11=BOOL:true}
{id=N:4 name.10=N:7}`},
		} {
			must(t, c, step.sql)
			got := attributesOf(t, client, "native.public.p.")
			if got != step.want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", step.sql, got, step.want)
			}
		}
	})
}

// TestSpoiltRows puts an item over a row, as another program may: what is not there is NULL, but not of the
// primary key. That, and what no column can have, ends the statements that read it, and no others.
func TestSpoiltRows(t *testing.T) {
	onRemotes(t, "spoilt", func(t *testing.T, s *server, client *dynamodb.Client) {
		quiet := wire.Options{Log: slog.New(slog.DiscardHandler)} // what is spoilt is logged as a bug
		c := serveWire(t, s.store, session.Options{Shared: true}, quiet).connect(t)
		must(t, c, "CREATE TABLE p (id int PRIMARY KEY, name text NOT NULL, born date); INSERT INTO p VALUES (1, 'Ada', '1815-12-10')")
		table := tablesOf(t, client, "spoilt.public.p.")[0]
		out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
		if err != nil || len(out.Items) != 1 {
			t.Fatalf("%d items, %v", len(out.Items), err)
		}
		for _, step := range []struct {
			attribute  string
			is         ddb.AttributeValue
			query, end string
		}{
			{"name", nil, "SELECT 1 FROM p WHERE id = 1", "<nil>"},
			{"born", &ddb.AttributeValueMemberS{Value: "garbage"}, "SELECT name FROM p WHERE id = 1", "<nil>"},
			{"born", &ddb.AttributeValueMemberS{Value: "garbage"}, "SELECT born FROM p WHERE id = 1", "XX001"},
			{"id", nil, "SELECT count(*) FROM p", "<nil>"},
			{"id", nil, "SELECT * FROM p", "XX001"},
			{"id", nil, "SELECT id FROM p WHERE id = 1", "XX001"},
			{"id", nil, "UPDATE p SET name = 'x' WHERE id = 1", "XX001"},
		} {
			spoilt := maps.Clone(out.Items[0])
			if spoilt[step.attribute] = step.is; step.is == nil {
				delete(spoilt, step.attribute)
			}
			if _, err := client.PutItem(t.Context(),
				&dynamodb.PutItemInput{TableName: &table, Item: spoilt}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Exec(t.Context(), step.query); codeOf(err) != step.end {
				t.Errorf("%s with another %s: %v, want %s", step.query, step.attribute, err, step.end)
			}
		}
		must(t, c, "DROP TABLE p")
	})
}
