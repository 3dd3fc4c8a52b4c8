package isolation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// TestPlayer plays specs of our own on PostgreSQL, and writes what came of each permutation. With the argument both,
// zproxy is to do the same.
func TestPlayer(t *testing.T) {
	pg := &postgres{t: t}
	datadriven.RunTest(t, "testdata/schedules", func(t *testing.T, d *datadriven.TestData) string {
		s, err := parse(d.Input)
		if err != nil {
			t.Fatal(err)
		}
		limit := limitThere
		if d.HasArg("hangs") {
			limit = time.Second
		}
		out := playAll(t, pg.world(t), s, limit)
		if d.HasArg("both") {
			if got := playAll(t, start(t, embedded), s, limit); got != out {
				t.Errorf("zproxy:\n%s", got)
			}
		}
		return out
	})
}

func playAll(t *testing.T, w *world, s *spec, limit time.Duration) string {
	t.Helper()
	orders, _ := s.orders(mostOrders)
	var b strings.Builder
	for _, o := range orders {
		w.connect(t, s)
		played, err := w.play(t.Context(), s, o, limit)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "permutation: %s\n%s", o, played)
	}
	return b.String()
}
