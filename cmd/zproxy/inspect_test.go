package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store/dynamostore/dynamofake"
)

// makeApp makes a table with two kinds of items, and one item that is of none.
func makeApp(t *testing.T, f *dynamofake.Fake) {
	t.Helper()
	client := dynamodb.New(dynamodb.Options{Region: "us-east-1", BaseEndpoint: aws.String("http://127.0.0.1:1"),
		HTTPClient: f.Client("writer"), Credentials: aws.AnonymousCredentials{}, DisableValidateResponseChecksum: true})
	text := func(s string) ddb.AttributeValue { return &ddb.AttributeValueMemberS{Value: s} }
	number := func(n int) ddb.AttributeValue { return &ddb.AttributeValueMemberN{Value: fmt.Sprint(n)} }
	in := &dynamodb.CreateTableInput{TableName: aws.String("App"), BillingMode: ddb.BillingModePayPerRequest}
	for i, name := range []string{"PK", "SK"} {
		role := []ddb.KeyType{ddb.KeyTypeHash, ddb.KeyTypeRange}[i]
		in.KeySchema = append(in.KeySchema, ddb.KeySchemaElement{AttributeName: &name, KeyType: role})
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: &name, AttributeType: "S"})
	}
	if _, err := client.CreateTable(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	items := []map[string]ddb.AttributeValue{{"PK": text("odd"), "SK": text("odd")}}
	for i := range 50 {
		pk := text(fmt.Sprintf("ORDER#%d", 100+i))
		items = append(items, map[string]ddb.AttributeValue{"PK": pk, "SK": text("ORDER"), "type": text("order"),
			"total": number(i)})
		for n := range 3 {
			items = append(items, map[string]ddb.AttributeValue{"PK": pk, "SK": text(fmt.Sprintf("LINE#%03d", n+1)),
				"type": text("line"), "sku": text("A"), "tags": &ddb.AttributeValueMemberSS{Value: []string{"x"}}})
		}
	}
	for _, item := range items {
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("App"), Item: item})
		if err != nil {
			t.Fatal(err)
		}
	}
}

const appDDL = `-- TTL attribute: none; stream: none; point-in-time recovery: off
-- 201 items sampled
-- 1 of 201 items fits no kind:
--   PK = 'odd', SK = 'odd': there are too few items like it

-- 150 of 201 sampled items
CREATE FOREIGN TABLE line (
  order_id integer,
  line integer,
  sku text,
  tags text[] OPTIONS (attribute_type 'SS')
) SERVER dynamodb OPTIONS (table_name 'App', pk 'ORDER#{order_id}', sk 'LINE#{line:03}', when 'type = ''line''');

-- 50 of 201 sampled items
CREATE FOREIGN TABLE orders (
  order_id integer,
  total numeric
) SERVER dynamodb OPTIONS (table_name 'App', pk 'ORDER#{order_id}', sk 'ORDER', when 'type = ''order''');
`

// TestInspect prints the DDL of a table, announces what that may cost, and keeps to it.
func TestInspect(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{})
	endpoint, err := f.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	makeApp(t, f)
	f.ForgetRequests()
	var out, log bytes.Buffer
	p := &program{out: &out, err: &log, env: func(string) (string, bool) { return "", false }}
	code := p.run(t.Context(), []string{"inspect", "App", "--endpoint", endpoint, "--log-level", "error"})
	if _, ddl, _ := strings.Cut(out.String(), "\n"); code != 0 || ddl != appDDL {
		t.Errorf("exit code %d: %s\n%s", code, out.String(), log.String())
	}
	var most, units float64
	var items int
	const lines = "reading up to 2000 items of App, for at most %g read units\nread %d items for %g"
	if _, err := fmt.Sscanf(log.String(), lines, &most, &items, &units); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	read := f.Requests()[dynamofake.Kind{Op: "Scan", Table: "App"}].ReadUnits
	if most != 500 || read > most || read != units || items != 201 {
		t.Errorf("%g units read: %s", read, log.String())
	}
	for kind, tally := range f.Requests() {
		if tally.WriteUnits > 0 {
			t.Errorf("%s wrote", kind.Op)
		}
	}
}

// TestInspectRefuses runs the command with settings that do not go together.
func TestInspectRefuses(t *testing.T) {
	endpoint := fakeEndpoint(t)
	for args, want := range map[string]string{
		"inspect --endpoint " + endpoint:                         "which table?",
		"inspect missing --endpoint " + endpoint:                 `table "missing" does not exist`,
		"inspect App more":                                       `"more" is no setting`,
		"inspect App --store pebble":                             "the store is pebble",
		"inspect App --sample-units 3 --endpoint " + endpoint:    "--sample-units must be at least",
		"inspect --table App --rows 3 --endpoint " + endpoint:    "there is no setting --rows",
		"inspect --endpoint " + endpoint + " missing --region x": `table "missing" does not exist`,
	} {
		var out bytes.Buffer
		code := newProgram(&out).run(t.Context(), strings.Fields(args))
		if code == 0 || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, %s", args, code, out.String())
		}
	}
}
