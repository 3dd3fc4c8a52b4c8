package e2e

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamolocal"
)

// TestDynamoDB plays scripts on DynamoDB Local. Plans show read units there.
func TestDynamoDB(t *testing.T) {
	endpoint := dynamolocal.Start(t)
	datadriven.Walk(t, "testdata/dynamodb", func(t *testing.T, path string) {
		st, err := dynamostore.Open(t.Context(), dynamostore.Options{Endpoint: endpoint, TablePrefix: "e2e"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			indextest.Store(t, st)
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		})
		play(t, path, "dynamodb", serve(t, st, session.Options{Shared: true}).url())
	})
}
