package dynamostore

import (
	"testing"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/storetest"
)

// openOn opens a store on a fake DynamoDB, as a client of a name.
func openOn(t testing.TB, f *dynamofake.Fake, client string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: f.Client(client)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestContractOnFake runs the contract on the fake, with long pages and with short ones.
func TestContractOnFake(t *testing.T) {
	for name, o := range map[string]dynamofake.Options{"plain": {}, "short pages": {PageItems: 17}} {
		t.Run(name, func(t *testing.T) {
			f := dynamofake.New(o)
			storetest.Run(t, func(t *testing.T) store.Store { return openOn(t, f, "") }, storetest.NoSnapshot)
		})
	}
}
