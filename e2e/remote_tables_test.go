package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// keptText says how a table of DynamoDB is paid, and by which attribute it removes items.
func keptText(t *testing.T, client *dynamodb.Client, table string) string {
	t.Helper()
	about, err := client.DescribeTable(context.Background(), &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	ttl, err := client.DescribeTimeToLive(context.Background(), &dynamodb.DescribeTimeToLiveInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	d, words := about.Table, []string{"on demand"}
	if d.BillingModeSummary == nil || d.BillingModeSummary.BillingMode != ddb.BillingModePayPerRequest {
		words[0] = fmt.Sprintf("provisioned %d/%d", aws.ToInt64(d.ProvisionedThroughput.ReadCapacityUnits),
			aws.ToInt64(d.ProvisionedThroughput.WriteCapacityUnits))
	}
	if o := d.OnDemandThroughput; o != nil && aws.ToInt64(o.MaxReadRequestUnits) > 0 {
		words = append(words, fmt.Sprintf("at most %d/%d", aws.ToInt64(o.MaxReadRequestUnits),
			aws.ToInt64(o.MaxWriteRequestUnits)))
	}
	if on := ttl.TimeToLiveDescription; on != nil && on.TimeToLiveStatus == ddb.TimeToLiveStatusEnabled {
		words = append(words, "ttl "+aws.ToString(on.AttributeName))
	}
	return strings.Join(words, ", ")
}

// TestTableSettings wants DynamoDB to be told of each table and each index how it is paid, and when rows go.
func TestTableSettings(t *testing.T) {
	onRemotes(t, "kept", func(t *testing.T, s *server, client *dynamodb.Client) {
		c := s.connect(t)
		for _, step := range []struct{ sql, table, index string }{
			{"CREATE TABLE t (id int PRIMARY KEY, at timestamptz) WITH (billing = 'provisioned', read_units = 10, write_units = 5, ttl = '30 days', ttl_column = 'at')",
				"provisioned 10/5, ttl _t", ""},
			{"CREATE INDEX ti ON t (at) WITH (max_read_units = 1000, max_write_units = 500)",
				"provisioned 10/5, ttl _t", "on demand, at most 1000/500, ttl _t"},
			{"ALTER TABLE t SET (read_units = 20)", "provisioned 20/5, ttl _t", "on demand, at most 1000/500, ttl _t"},
			{"ALTER INDEX ti RESET (max_read_units, max_write_units); ALTER INDEX ti SET (billing = 'provisioned', read_units = 1, write_units = 2)",
				"provisioned 20/5, ttl _t", "provisioned 1/2, ttl _t"},
			{"ALTER TABLE t RESET (billing, read_units, write_units); ALTER TABLE t SET (max_read_units = 7, max_write_units = 8)",
				"on demand, at most 7/8, ttl _t", "provisioned 1/2, ttl _t"},
			{"ALTER TABLE t RESET (ttl, ttl_column, max_read_units, max_write_units)", "on demand", "provisioned 1/2"},
		} {
			must(t, c, step.sql)
			for _, of := range []struct{ name, want string }{{"kept.public.t.1", step.table},
				{"kept.public.t.ti.", step.index}} {
				tables := tablesOf(t, client, of.name)
				if of.want == "" {
					continue
				}
				if len(tables) != 1 {
					t.Fatalf("%s: tables %q", of.name, tables)
				}
				if got := keptText(t, client, tables[0]); got != of.want {
					t.Errorf("%s\n%s is %s, want %s", step.sql, of.name, got, of.want)
				}
			}
		}
	})
}

// TestTableNames makes tables and indexes with names that DynamoDB does not take, and with others that become
// the same there, below a prefix as long as it may be. Each must be a table of its own.
func TestTableNames(t *testing.T) {
	prefix := strings.Repeat("p", 32)
	long := strings.Repeat("ü", 31) + "x" // 63 bytes
	names := []string{
		"plain", "a b", "a?b", "a_b", "a.b", "a-b", "A_B", `a"b`, "größe", "grö?e", "日本", "中国", "💥", "1", "_", ".", "a.b.16385", long,
		strings.Repeat("z", 63), strings.Repeat("z", 62) + " ",
	}
	onRemotes(t, prefix, func(t *testing.T, s *server, client *dynamodb.Client) {
		c := s.connect(t)
		for i, schema := range []string{"public", strings.Repeat("s", 62) + "ß"} {
			if i > 0 {
				must(t, c, fmt.Sprintf("CREATE SCHEMA %s; SET search_path TO %[1]s", quoted(schema)))
			}
			names := names[i*(len(names)-4):] // those that are long, in a schema that is
			for n, name := range names {
				q, index := quoted(name), quoted(string(rune('A'+n))+string([]rune(name)[1:]))
				must(t, c,
					fmt.Sprintf("CREATE TABLE %s (%[1]s int PRIMARY KEY, v text)", q),
					fmt.Sprintf("CREATE INDEX %s ON %s (v) INCLUDE (%[2]s)", index, q),
					fmt.Sprintf("INSERT INTO %s VALUES (%d, 'v')", q, n))
			}
			for n, name := range names {
				var got int
				if err := c.QueryRow(t.Context(), fmt.Sprintf("SELECT %s FROM %[1]s WHERE v = 'v'",
					quoted(name))).Scan(&got); err != nil || got != n {
					t.Errorf("%q has %d (%v), want %d", name, got, err, n)
				}
			}
		}
		tables := tablesOf(t, client, prefix+".")
		for _, table := range tables {
			if len(table) > 255 {
				t.Errorf("%s has %d letters", table, len(table))
			}
		}
		if got := len(tables); got < 2*(len(names)+4) {
			t.Errorf("%d tables, want two for each of %d names: %q", got, len(names)+4, tables)
		}
	})
}

// quoted is a name as SQL takes it.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
