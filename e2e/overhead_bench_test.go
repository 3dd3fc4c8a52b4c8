package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// BenchmarkOverDynamoDB compares reads through zproxy with the same by DynamoDB's client alone, by
// turns, both on the fake without sockets between. It reports medians, and what zproxy adds.
func BenchmarkOverDynamoDB(t *testing.B) {
	f := dynamofake.New(dynamofake.Options{})
	client := dynamodb.New(dynamodb.Options{Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:1"), HTTPClient: f.Client("bare"),
		Credentials: aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
		})})
	k := kind{name: "fake", shared: true, open: func(t testing.TB) store.Store {
		st, err := dynamostore.Open(t.Context(), dynamostore.Options{Region: "local", Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client("zproxy")})
		if err != nil {
			t.Fatal(err)
		}
		return st
	}}
	c := openDB(t, k).connect(t)
	run := func(q string) {
		if _, err := c.Exec(t.Context(), q); err != nil {
			t.Fatal(q, err)
		}
	}
	run("CREATE TABLE r (g int, n int, note text, PRIMARY KEY (g, n))")
	for from := 0; from < 1000; from += 50 {
		var v []string
		for i := range 50 {
			v = append(v, fmt.Sprintf("(1, %d, '%s')", from+i, strings.Repeat("x", 80)))
		}
		run("INSERT INTO r VALUES " + strings.Join(v, ", "))
	}
	run("ANALYZE r")
	table, items := tableOf(t, client, 1000)
	key := map[string]ddb.AttributeValue{"pk": items[0]["pk"], "sk": items[0]["sk"]}
	bare := func() {
		out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil || len(out.Item) == 0 {
			t.Fatal(err)
		}
	}
	proxied := func() {
		var note string
		if err := c.QueryRow(t.Context(), "SELECT note FROM r WHERE g = $1 AND n = $2", 1, 7).Scan(&note); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("point", func(b *testing.B) { byTurns(b, bare, proxied) })
	t.Run("rows=1000", func(b *testing.B) {
		byTurns(b, func() {
			out, err := client.Query(t.Context(), &dynamodb.QueryInput{TableName: &table, ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String("pk = :p"),
				ExpressionAttributeValues: map[string]ddb.AttributeValue{":p": items[0]["pk"]}})
			if err != nil || len(out.Items) != 1000 {
				t.Fatal(err)
			}
		}, func() {
			rows, err := c.Query(t.Context(), "SELECT n, note FROM r WHERE g = $1", 1)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for rows.Next() {
				n++
			}
			if rows.Err() != nil || n != 1000 {
				t.Fatal(n, rows.Err())
			}
		})
	})
}

// byTurns runs two functions by turns.
func byTurns(b *testing.B, bare, proxied func()) {
	var took [2][]time.Duration
	for b.Loop() {
		for i, f := range []func(){bare, proxied} {
			start := time.Now()
			f()
			took[i] = append(took[i], time.Since(start))
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	micros := func(i int) float64 { return float64(took[i][len(took[i])/2].Nanoseconds()) / 1e3 }
	b.ReportMetric(micros(0), "bare-us")
	b.ReportMetric(micros(1), "zproxy-us")
	b.ReportMetric(micros(1)-micros(0), "added-us")
}

// tableOf finds the table that has so many items, and reads them.
func tableOf(t testing.TB, client *dynamodb.Client, rows int) (table string, items []map[string]ddb.AttributeValue) {
	t.Helper()
	list, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list.TableNames {
		out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &n})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Items) == rows {
			table, items = n, out.Items
		}
	}
	return table, items
}
