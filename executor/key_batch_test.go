package executor

import (
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestKeyBatches numbers many texts batch by batch, as a map does one by one.
func TestKeyBatches(t *testing.T) {
	dice := rand.New(rand.NewPCG(testseed.Of(t), 0))
	numbers := map[string]int{}
	set := newRowSet(nil, types.Text)
	var texts types.Vector
	for range 400 {
		rows := make([]string, 1+dice.IntN(types.BatchRows))
		texts.Shape(types.KindText, len(rows))
		for i := range rows {
			rows[i] = strings.Repeat("x", dice.IntN(200)) + strings.Repeat("y", dice.IntN(200))
			texts.Put(i, len(rows), types.NewText(rows[i]))
		}
		add := dice.IntN(4) > 0
		columns := &keyColumns{of: []*types.Vector{&texts}}
		set.load(columns, len(rows))
		for i, text := range rows {
			want, known := numbers[text]
			switch {
			case !known && add:
				want = len(numbers)
				numbers[text] = want
			case !known:
				want = -1
			}
			if got, there := set.atColumns(columns, i, add); got != want || there != known {
				t.Fatalf("%q has the number %d (%v), want %d (%v)", text, got, there, want, known)
			}
		}
	}
	if len(set.table.slots) <= cachedSlots {
		t.Errorf("only %d slots", len(set.table.slots))
	}
}
