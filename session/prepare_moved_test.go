package session

import (
	"testing"
	"testing/synctest"
	"time"

	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
)

// TestPrepareAfterChange prepares and binds a statement in a transaction that began before another process made the
// table anew: that is a failure to serialize, as when it runs.
func TestPrepareAfterChange(t *testing.T) {
	for _, how := range []string{"prepare", "bind", "run"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{})
				one, other := joined(t, f, "a"), joined(t, f, "c")
				s, o := connect(t, one.DB, "joe"), connect(t, other.DB, "joe")
				accepted(t, o, "CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE u (id int PRIMARY KEY)")
				time.Sleep(time.Minute) // until both know of them
				const text = "SELECT * FROM t"
				if err := s.Prepare(t.Context(), "before", text, nil); err != nil {
					t.Fatal(err)
				}
				if err := s.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				accepted(t, s, "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM u")
				accepted(t, o, "DROP TABLE t", "CREATE TABLE t (id int PRIMARY KEY)")
				time.Sleep(time.Minute)
				var err error
				switch how {
				case "prepare":
					err = s.Prepare(t.Context(), "", text, nil)
				case "bind":
					st, _ := s.Statement("before")
					err = s.Bind(t.Context(), "", Binding{Statement: st})
				case "run":
					err = ask(t, s, text)
				}
				if !sqlerr.Has(err, sqlerr.SerializationFailure) {
					t.Errorf("%v, want %s", err, sqlerr.SerializationFailure)
				}
			})
		})
	}
}
