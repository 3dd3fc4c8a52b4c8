package session

import (
	"testing"

	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// BenchmarkHeat is what counting keys takes of a point read by a prepared statement: on and off.
func BenchmarkHeat(b *testing.B) {
	for _, heat := range []string{"on", "off"} {
		b.Run(heat, func(b *testing.B) {
			o := Options{Settings: map[string]string{"zproxy.heat": heat}}
			benchPrepared(b, o, "SELECT * FROM t WHERE id = $1", 1)
		})
	}
}

// BenchmarkRowCache is a point read of one row from the DynamoDB in this process, and from the cache.
func BenchmarkRowCache(b *testing.B) {
	for _, cache := range []string{"0", "1h"} {
		b.Run(cache, func(b *testing.B) {
			st, err := dynamostore.Open(b.Context(), dynamostore.Options{Region: "us-east-1",
				Endpoint: "http://127.0.0.1:1", HTTPClient: dynamofake.New(dynamofake.Options{}).Client("")})
			if err != nil {
				b.Fatal(err)
			}
			db, err := Open(b.Context(), st, Options{Shared: true})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(db.Close)
			benchPoint(b, db, " WITH (cache = '"+cache+"')")
		})
	}
}

// benchPoint reads one row of a table again and again.
func benchPoint(b *testing.B, db *DB, with string) {
	s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	c := &silent{}
	if err := s.Query(b.Context(), "CREATE TABLE t (id int PRIMARY KEY, a int)"+with+"; INSERT INTO t VALUES (7, 7)",
		c); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Query(b.Context(), "SELECT a FROM t WHERE id = 7", c); err != nil {
			b.Fatal(err)
		}
	}
}
