package advice

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/optimizer/cost"
)

// manyIndexes is how many indexes a table may have before what another one costs is said.
const manyIndexes = 4

// oneOfMany finds an index behind several others. That of a constraint is there for the rows, not for queries.
func oneOfMany(k *key) (finding, bool) {
	if k.index == nil || k.index.Constraint || indexesBefore(k) < manyIndexes {
		return finding{}, false
	}
	t := k.table.WithIndex(*k.index)
	x := t.IndexByID(k.index.ID)
	x.State = catalog.Readable // what counts is what it costs once it is built
	u := cost.UpkeepOf(t, x, k.known.Store)
	size := fmt.Sprintf("about %.0f bytes", u.ItemBytes)
	if t.Stats.Known {
		size += fmt.Sprintf(", %.0f in all,", u.ItemBytes*t.EntryCount(x))
	}
	sentence := fmt.Sprintf("%s is one of more than %d, with entries of %s and %s for each INSERT", k, manyIndexes, size,
		written(k, u.Insert))
	if !u.Update.Never {
		sentence += ", " + written(k, u.Update) + " for each UPDATE of its key"
	}
	if !u.Delete.Never {
		sentence += ", " + written(k, u.Delete) + " for each DELETE"
	}
	return finding{sentence, k.dropped()}, true
}

// indexesBefore is how many indexes of the table were there before this one.
func indexesBefore(k *key) int {
	at := slices.IndexFunc(k.table.Indexes, func(x catalog.Index) bool { return x.ID == k.index.ID })
	if at < 0 {
		return len(k.table.Indexes)
	}
	return at
}

// written is how many entries are put or deleted, and what the store charges for it.
func written(k *key, w cost.Writes) string {
	text := fmt.Sprintf("%d write", w.Items)
	if w.Items != 1 {
		text += "s"
	}
	if k.index.Partial() {
		text = "up to " + text
	}
	if k.known.Store.Units {
		text += fmt.Sprintf(" of %.0f units", w.Units)
	}
	return text
}
