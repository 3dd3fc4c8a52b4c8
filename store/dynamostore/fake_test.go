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
	return openWith(t, f, client, Options{})
}

// openWith is openOn with some options.
func openWith(t testing.TB, f *dynamofake.Fake, client string, o Options) *Store {
	t.Helper()
	o.Endpoint, o.HTTPClient = "http://127.0.0.1:1", f.Client(client)
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestContractOnFake runs the contract on the fake, with long pages and with short ones, and where each transaction
// of two writes takes intents.
func TestContractOnFake(t *testing.T) {
	for _, c := range []struct {
		name   string
		fake   dynamofake.Options
		client Options
	}{
		{"plain", dynamofake.Options{}, Options{}},
		{"short pages", dynamofake.Options{PageItems: 17}, Options{}},
		{"intents", dynamofake.Options{PageItems: 30}, Options{MostTogether: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := dynamofake.New(c.fake)
			open := func(t *testing.T) store.Store { return openWith(t, f, "", c.client) }
			storetest.Run(t, open, storetest.NoSnapshot)
		})
	}
}
