package session

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"zproxy/internal/testcharge"
	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store/memstore"
)

// TestUnitsOfOtherStores runs statements on a store that charges nothing, and like DynamoDB has no order of partitions,
// with limits that are twice and half what the fake charges or is thought to charge, whichever is more: the first let
// them pass, and the others do not.
func TestUnitsOfOtherStores(t *testing.T) {
	seed := testseed.Of(t)
	var statements []string
	var units [][2]float64 // of reads and of writes
	random := rand.New(rand.NewPCG(seed, 5))
	for kind := range testcharge.Classes() {
		sql := testcharge.Statement(kind, random.IntN)
		if !strings.Contains(sql, "FROM z") { // boxes are read in another way there
			statements = append(statements, sql)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		w := newPricedWrites(t)
		accepted(t, w.Session, testcharge.Tables...)
		accepted(t, w.Session, "ANALYZE t, d, w, z")
		for _, sql := range statements {
			thought := w.thought(sql)
			reads, writes := w.chargedBy(sql)
			units = append(units, [2]float64{math.Max(thought.ReadUnits, reads), math.Max(thought.WriteUnits, writes)})
		}
	})
	db, err := Open(t.Context(), memstore.New(memstore.Options{Unordered: true}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := connect(t, db, "joe")
	accepted(t, s, testcharge.Tables...)
	accepted(t, s, "ANALYZE t, d, w, z")
	for i, sql := range statements {
		for j, setting := range []string{"zproxy.max_read_units", "zproxy.max_write_units"} {
			if half := int(units[i][j]/2) - 1; half > 0 {
				accepted(t, s, fmt.Sprintf("SET %s = %d", setting, half), "BEGIN")
				if err := ask(t, s, sql); err == nil || sqlerr.From(err).Code != sqlerr.ConfigurationLimitExceeded {
					t.Errorf("%s = %d, half of what %q takes: %v", setting, half, sql, err)
				}
				accepted(t, s, "ROLLBACK")
			}
			accepted(t, s, fmt.Sprintf("SET %s = %.0f", setting, 2*units[i][j]+2))
			if err := ask(t, s, sql); err != nil {
				t.Errorf("%s is twice the %g that %q takes: %v", setting, units[i][j], sql, err)
			}
			accepted(t, s, "RESET "+setting, "DELETE FROM t WHERE id > 3000", "DELETE FROM d WHERE cust >= 60")
		}
	}
}
