package inspect

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
	"zproxy/internal/testserver"
	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/sample"
	"zproxy/wire"
)

// TestDesignsAreUsed runs the DDL of each design over its items: the tables have as many rows as items were found of
// the kind, and rows that are deleted and inserted again make the items that there were, to the last attribute.
func TestDesignsAreUsed(t *testing.T) {
	for _, make := range designs {
		d := make(testseed.Of(t))
		t.Run(d.name, func(t *testing.T) {
			u := useDesign(t, d)
			for i := range u.found.Kinds {
				u.check(&u.found.Kinds[i])
			}
		})
	}
}

// used is a design whose tables a server has.
type used struct {
	*testing.T
	client *dynamodb.Client
	conn   *pgx.Conn
	found  *Found
}

func useDesign(t *testing.T, d *design) *used {
	t.Helper()
	f := dynamofake.New(dynamofake.Options{})
	u := &used{T: t, client: dynamodb.New(dynamodb.Options{Region: "us-east-1", HTTPClient: f.Client("writer"),
		BaseEndpoint: aws.String("http://127.0.0.1:1"), Credentials: aws.AnonymousCredentials{},
		DisableValidateResponseChecksum: true})}
	s := d.sample()
	s.Items = u.fill(s)
	u.found = Infer(s)
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client("")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	server := testserver.Start(t, st, session.Options{Settings: map[string]string{"zproxy.full_scan": "allow"}},
		wire.Options{})
	u.conn, err = pgx.Connect(t.Context(),
		"postgres://postgres@"+server.Address+"/postgres?sslmode=disable&default_query_exec_mode=simple_protocol")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = u.conn.Close(context.Background()) })
	var ddl strings.Builder
	if err := u.found.Print(&ddl); err != nil {
		t.Fatal(err)
	}
	u.exec(ddl.String())
	return u
}

// fill makes the table with the items, and gives those that are there at last: items of one key are one.
func (u *used) fill(s *sample.Sample) []sample.Item {
	u.Helper()
	in := &dynamodb.CreateTableInput{TableName: &s.Table.Name, BillingMode: ddb.BillingModePayPerRequest}
	key := func(attributes ...sample.Attribute) (schema []ddb.KeySchemaElement) {
		for i, a := range attributes {
			if a.Name == "" {
				continue
			}
			schema = append(schema, ddb.KeySchemaElement{AttributeName: &a.Name,
				KeyType: []ddb.KeyType{ddb.KeyTypeHash, ddb.KeyTypeRange}[i]})
			if !slices.ContainsFunc(in.AttributeDefinitions, func(d ddb.AttributeDefinition) bool {
				return *d.AttributeName == a.Name
			}) {
				in.AttributeDefinitions = append(in.AttributeDefinitions,
					ddb.AttributeDefinition{AttributeName: &a.Name, AttributeType: ddb.ScalarAttributeType(a.Type)})
			}
		}
		return schema
	}
	in.KeySchema = key(s.Table.Partition, s.Table.Sort)
	for _, x := range s.Table.Indexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, ddb.GlobalSecondaryIndex{IndexName: &x.Name,
			KeySchema: key(x.Keys...), Projection: &ddb.Projection{ProjectionType: ddb.ProjectionTypeAll}})
	}
	if _, err := u.client.CreateTable(u.Context(), in); err != nil {
		u.Fatal(err)
	}
	last := map[[2]string]int{}
	for i, item := range s.Items {
		native := map[string]ddb.AttributeValue{}
		for name, v := range item {
			native[name] = nativeOf(v)
		}
		put := &dynamodb.PutItemInput{TableName: &s.Table.Name, Item: native}
		if _, err := u.client.PutItem(u.Context(), put); err != nil {
			u.Fatal(err)
		}
		last[[2]string{item[s.Table.Partition.Name].Text, item[s.Table.Sort.Name].Text}] = i
	}
	var out []sample.Item
	for i, item := range s.Items {
		if last[[2]string{item[s.Table.Partition.Name].Text, item[s.Table.Sort.Name].Text}] == i {
			out = append(out, item)
		}
	}
	return out
}

// nativeOf is an attribute with a value of a sample. Those of types without a text get some value.
func nativeOf(v sample.Value) ddb.AttributeValue {
	switch v.Type {
	case sample.Number:
		return &ddb.AttributeValueMemberN{Value: v.Text}
	case sample.Bool:
		return &ddb.AttributeValueMemberBOOL{Value: v.Text == "true"}
	case sample.Binary:
		return &ddb.AttributeValueMemberB{Value: []byte{0, 1}}
	case sample.Map:
		return &ddb.AttributeValueMemberM{Value: map[string]ddb.AttributeValue{
			"a": &ddb.AttributeValueMemberN{Value: "1"}}}
	case sample.List:
		return &ddb.AttributeValueMemberL{Value: []ddb.AttributeValue{&ddb.AttributeValueMemberS{Value: "x"}}}
	case sample.StringSet:
		return &ddb.AttributeValueMemberSS{Value: []string{"a", "b"}}
	case sample.NumberSet:
		return &ddb.AttributeValueMemberNS{Value: []string{"1", "2"}}
	case sample.BinarySet:
		return &ddb.AttributeValueMemberBS{Value: [][]byte{{1}}}
	case sample.Null:
		return &ddb.AttributeValueMemberNULL{Value: true}
	}
	return &ddb.AttributeValueMemberS{Value: v.Text}
}

func (u *used) exec(sql string) {
	u.Helper()
	if _, err := u.conn.Exec(u.Context(), sql); err != nil {
		u.Fatalf("%v: %s", err, sql)
	}
}

// rows are the texts of some rows, a literal for each column.
func (u *used) rows(sql string) (columns []string, rows [][]string) {
	u.Helper()
	result, err := u.conn.Query(u.Context(), sql)
	if err != nil {
		u.Fatal(err)
	}
	defer result.Close()
	for _, f := range result.FieldDescriptions() {
		columns = append(columns, pgx.Identifier{f.Name}.Sanitize())
	}
	for result.Next() {
		var row []string
		for _, v := range result.RawValues() {
			literal := "NULL"
			if v != nil {
				literal = "'" + strings.ReplaceAll(string(v), "'", "''") + "'"
			}
			row = append(row, literal)
		}
		rows = append(rows, row)
	}
	if err := result.Err(); err != nil {
		u.Fatal(err)
	}
	return columns, rows
}

// check counts the rows of a kind, and writes some of them again.
func (u *used) check(k *Kind) {
	u.Helper()
	name := pgx.Identifier{k.Name}.Sanitize()
	_, count := u.rows("SELECT count(*) FROM " + name)
	n, err := strconv.Atoi(strings.Trim(count[0][0], "'"))
	if most := k.Items + len(u.found.Unfit); err != nil || n < k.Items || n > most { // a text may be empty after all
		u.Errorf("%s has %s rows, want %d to %d", k.Name, count[0][0], k.Items, most)
	}
	before := u.items()
	columns, rows := u.rows("SELECT * FROM " + name + " LIMIT 3")
	for _, row := range rows {
		var where []string
		for i, literal := range row {
			if literal != "NULL" {
				where = append(where, columns[i]+" = "+literal)
			}
		}
		u.exec("DELETE FROM " + name + " WHERE " + strings.Join(where, " AND "))
		u.exec("INSERT INTO " + name + " VALUES (" + strings.Join(row, ", ") + ")")
	}
	after := u.items()
	if len(before) != len(after) {
		u.Errorf("%s: %d items are %d", k.Name, len(before), len(after))
	}
	for key, item := range before {
		if !reflect.DeepEqual(item, after[key]) {
			u.Errorf("%s: %s was %s, and is %s", k.Name, key, textOf(item), textOf(after[key]))
		}
	}
}

// textOf shows an item.
func textOf(item map[string]ddb.AttributeValue) string {
	text, err := json.Marshal(item)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// items are all items of the table, by their keys.
func (u *used) items() map[string]map[string]ddb.AttributeValue {
	u.Helper()
	out := map[string]map[string]ddb.AttributeValue{}
	in := &dynamodb.ScanInput{TableName: &u.found.Table.Name}
	for {
		page, err := u.client.Scan(u.Context(), in)
		if err != nil {
			u.Fatal(err)
		}
		for _, item := range page.Items {
			key := map[string]ddb.AttributeValue{}
			for _, name := range []string{u.found.Table.Partition.Name, u.found.Table.Sort.Name} {
				if a, there := item[name]; there {
					key[name] = a
				}
			}
			out[textOf(key)] = item
		}
		if len(page.LastEvaluatedKey) == 0 {
			return out
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}
