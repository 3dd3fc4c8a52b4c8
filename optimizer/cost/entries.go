package cost

import (
	"math"

	"zproxy/catalog"
	"zproxy/types"
)

// guessedElements is how many elements a value is thought to have of which nothing is known.
const guessedElements = 4

// entriesPerRow is how many entries a row is thought to have in an index: one, but in an inverted one as many as its
// values have elements.
func entriesPerRow(t *catalog.Table, x *catalog.Index) int {
	if !x.Method.Inverted() {
		return 1
	}
	sum := 0.0
	for _, k := range x.Layout.Key {
		known := t.Stats.Column(k.ID)
		switch kind := t.Columns[t.Ordinal(k.ID)].Type.Kind(); {
		case kind == types.KindText && known.Width > 0:
			sum += known.Width + 1 // trigrams of a word
		case kind == types.KindArray && known.Elements != nil:
			sum += known.Elements.Mean()
		default:
			sum += guessedElements
		}
	}
	return int(math.Max(1, math.Ceil(sum)))
}
