package session

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
)

var changeRuns = flag.Int("changeruns", 2, "how many runs of changes of the schema under faults there are")

// TestChangesUnderFaults lets processes change the schema, each its own tables and one together,
// while answers are lost and requests fail. What a client was told must be so, and nothing is left behind.
func TestChangesUnderFaults(t *testing.T) {
	first := testseed.Of(t)
	for seed := first; seed < first+uint64(*changeRuns); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { changeUnderFaults(t, seed) })
		})
	}
}

// changing is a session that makes, alters and drops a table of its own, and knows what there
// should be: the columns of the table, nil when there is none, or that it does not know.
type changing struct {
	*Session
	table          string
	columns        []string
	unknownOutcome bool
}

func changeUnderFaults(t *testing.T, seed uint64) {
	f := dynamofake.New(dynamofake.Options{Seed: seed})
	processes := []*process{joined(t, f, "a"), joined(t, f, "b"), joined(t, f, "c")}
	first := connect(t, processes[0].DB, "joe")
	accepted(t, first, "CREATE TABLE together (id int PRIMARY KEY, a int)",
		"INSERT INTO together SELECT i, i FROM generate_series(1, 40) i")
	f.SetFaults(dynamofake.Faults{ErrorBefore: 0.05, ErrorAfter: 0.1, CutBefore: 0.05, CutAfter: 0.1, Conflict: 0.05,
		Delay: 0.05, Throttle: 0.05})
	ended := make(chan *changing)
	for i, p := range processes {
		s := &changing{Session: connect(t, p.DB, "joe"), table: fmt.Sprintf("t%d", i)}
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		go func() {
			for range 12 {
				s.change(t, random)
			}
			ended <- s
		}()
	}
	var all []*changing
	for range processes {
		all = append(all, <-ended)
	}
	f.EndFaults()
	time.Sleep(3 * time.Minute)
	for _, s := range all {
		got := answer(t, first,
			"SELECT attname FROM pg_attribute WHERE attrelid = to_regclass('"+s.table+"') AND attnum > 0 AND NOT attisdropped ORDER BY attnum")
		if !s.unknownOutcome && !slices.Equal(got, s.columns) {
			t.Errorf("table %s has the columns %v, want %v", s.table, got, s.columns)
		}
	}
	for _, p := range processes {
		accepted(t, connect(t, p.DB, "joe"), "UPDATE together SET a = a + 1 WHERE id < 3")
		p.agreesWithRows(t)
	}
	processes[1].owesNothing(t)
}

// change makes one change, which may fail.
func (s *changing) change(t *testing.T, random *rand.Rand) {
	next := slices.Clone(s.columns)
	statement := ""
	switch {
	case random.IntN(3) == 0:
		statement, next = []string{"CREATE INDEX ON together (a, id)", "REINDEX INDEX together_a_id_idx",
			"DROP INDEX together_a_id_idx"}[random.IntN(3)], s.columns
	case s.columns == nil:
		statement, next = "CREATE TABLE "+s.table+" (id int PRIMARY KEY, c0 int UNIQUE)", []string{"id", "c0"}
	case random.IntN(3) == 0:
		statement, next = "DROP TABLE "+s.table, nil
	default:
		name := fmt.Sprintf("c%d", len(s.columns))
		statement, next = "ALTER TABLE "+s.table+" ADD COLUMN "+name+" int", append(next, name)
	}
	err := s.Query(context.WithoutCancel(t.Context()), statement, &silent{})
	code := sqlerr.From(err).Code
	switch {
	case err == nil:
		s.columns, s.unknownOutcome = next, s.unknownOutcome && len(next) > 2
	case slices.Contains([]sqlerr.Code{sqlerr.StatementCompletionUnknown, sqlerr.IOError}, code):
		s.unknownOutcome = true
	case s.unknownOutcome || slices.Contains([]sqlerr.Code{sqlerr.SerializationFailure, sqlerr.InsufficientResources,
		sqlerr.ConfigurationLimitExceeded, sqlerr.UndefinedObject}, code):
	default:
		t.Errorf("%s: %v", statement, err)
	}
}
