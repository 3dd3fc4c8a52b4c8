package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/internal/testseed"
)

// TestPricedForeignWrites is TestPricedWrites for tables of other programs, whose indexes DynamoDB writes.
func TestPricedForeignWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 2))
	synctest.Test(t, func(t *testing.T) {
		w := newPricedWrites(t)
		for indexes := range 3 {
			for n := range 8 {
				rows := []int{1, 2 + random.IntN(18), 20 + random.IntN(81)}[random.IntN(3)]
				w.priceForeign(fmt.Sprintf("other%d_%d", indexes, n), indexes, [2]int{rows, 10 + random.IntN(1500)})
			}
		}
		t.Logf("%d of %d are beyond a factor of 1.2:\n%s", len(w.off), w.all, strings.Join(w.off, "\n"))
		if 20*len(w.off) > w.all {
			t.Errorf("%d of %d", len(w.off), w.all)
		}
	})
}

// makeForeign makes a table as another program does, with global indexes on a and b.
func (w *pricedWrites) makeForeign(table string, indexes int) {
	w.t.Helper()
	sdk := dynamodb.New(dynamodb.Options{Region: "local", BaseEndpoint: aws.String("http://127.0.0.1:1"),
		HTTPClient: w.fake.Client("other"), Credentials: aws.AnonymousCredentials{}})
	in := &dynamodb.CreateTableInput{TableName: &table, BillingMode: ddb.BillingModePayPerRequest,
		KeySchema: []ddb.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: ddb.KeyTypeHash}},
		AttributeDefinitions: []ddb.AttributeDefinition{
			{AttributeName: aws.String("id"), AttributeType: ddb.ScalarAttributeTypeN}}}
	for i, column := range []string{"a", "b"}[:indexes] {
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			ddb.AttributeDefinition{AttributeName: &column, AttributeType: ddb.ScalarAttributeTypeN})
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, ddb.GlobalSecondaryIndex{
			IndexName: aws.String("by_" + column),
			KeySchema: []ddb.KeySchemaElement{{AttributeName: &column, KeyType: ddb.KeyTypeHash}},
			Projection: &ddb.Projection{ProjectionType: []ddb.ProjectionType{ddb.ProjectionTypeAll,
				ddb.ProjectionTypeKeysOnly}[i]},
		})
	}
	if _, err := sdk.CreateTable(w.t.Context(), in); err != nil {
		w.t.Fatal(err)
	}
	accepted(w.t, w.Session, fmt.Sprintf("CREATE FOREIGN TABLE %s (id int, a int, b int, c int, e text) SERVER dynamodb",
		table))
}

// priceForeign writes so many rows of some bytes into such a table, changes and deletes them.
func (w *pricedWrites) priceForeign(table string, indexes int, rows [2]int) {
	w.makeForeign(table, indexes)
	insertRows := func(from, to int) string {
		var values []string
		for g := from; g < to; g++ {
			values = append(values, fmt.Sprintf("(%d, %d, %d, %d, '%s')", g, g, g, g, strings.Repeat("x", rows[1])))
		}
		return "INSERT INTO " + table + " VALUES " + strings.Join(values, ", ")
	}
	accepted(w.t, w.Session, insertRows(0, 3), "ANALYZE "+table)
	accepted(w.t, w.Session, "DELETE FROM "+table+" WHERE id > 0")
	statements := []string{insertRows(3, 3+rows[0]), "UPDATE " + table + " SET a = a + 1",
		"UPDATE " + table + " SET e = e || 'y'", "UPDATE " + table + " SET c = c + 1, b = b - 1",
		"UPDATE " + table + " SET c = 7 WHERE id = 3", "DELETE FROM " + table + " WHERE id = 3", "DELETE FROM " + table}
	for i, sql := range statements {
		if i == 0 {
			accepted(w.t, w.Session, "DELETE FROM "+table)
		} else {
			accepted(w.t, w.Session, "ANALYZE "+table)
		}
		want, got := estimated(w.t, w.Session, sql), w.chargedFor(table, sql)
		if w.all++; got/want > 1.2 || want/got > 1.2 {
			w.off = append(w.off, fmt.Sprintf("%.60s: %v units, estimated %v (%d rows of %d bytes, %d indexes)", sql, got, want,
				rows[0], rows[1], indexes))
		}
	}
}
