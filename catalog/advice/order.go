package advice

import (
	"fmt"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/types"
)

func tableBeginsWithTime(k *key) (finding, bool) {
	return k.beginsWithTime(k.index == nil)
}

func indexBeginsWithTime(k *key) (finding, bool) {
	return k.beginsWithTime(k.index != nil)
}

// beginsWithTime looks at a key if it is of the kind that the rule is for. Whether the times of a
// column grow, as those of births do not, its type does not say.
func (k *key) beginsWithTime(asked bool) (finding, bool) {
	c := k.leading()
	switch {
	case !asked || c == nil:
		return finding{}, false
	case isTime(c.Type):
		return finding{fmt.Sprintf("%s begins with the time %q, %s", k, c.Name,
			k.inOrderOfTime(k.items()+" which come in the order of time all")), k.reordered()}, true
	case sourceOf(c) == clock:
		return finding{fmt.Sprintf("%s begins with %q, whose default is the time, %s", k, c.Name,
			k.inOrderOfTime("all new "+k.items())), k.reordered()}, true
	}
	return finding{}, false
}

// inOrderOfTime is what becomes of what comes in the order of time.
func (k *key) inOrderOfTime(what string) string {
	if k.known.Store.OrderedPartitions {
		return "so that " + what + " go to one end of it"
	}
	return "so that a range of times is in as many partitions as it has values"
}

func beginsWithTimedUUID(k *key) (finding, bool) {
	c := k.leading()
	if c == nil || !k.timedUUIDs(c) {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s begins with %q, whose uuids begin with the time, so that all new %s go to one end of it", k, c.Name, k.items()), k.randomized(c)}, true
}

func beginsWithSequence(k *key) (finding, bool) {
	c := k.leading()
	why := "which a sequence fills"
	switch {
	case c == nil:
		return finding{}, false
	case sourceOf(c) == sequence:
	case k.known.hasGrown(c) && !isTime(c.Type) && sourceOf(c) == elsewhere && !k.timedUUIDs(c):
		why = "whose new values are above all others"
	default:
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s begins with %q, %s, so that all new %s go to one end of it", k, c.Name, why,
		k.items()), k.reordered()}, true
}

func fewPartitions(k *key) (finding, bool) {
	values, names := 1.0, []string(nil)
	for _, p := range k.layout.Partition {
		if !p.Plain() {
			return finding{}, false
		}
		c := k.column(p.Column)
		values *= k.values(c)
		names = append(names, strconv.Quote(c.Name))
	}
	if names == nil || values == 0 || values > fewValues || k.shardedByClients() {
		return finding{}, false
	}
	most := "is one"
	if values > 1 {
		most = fmt.Sprintf("are at most %.0f", values)
	}
	return finding{fmt.Sprintf("%s has a partition for each value of %s, of which there %s", k, list(names), most),
		k.reordered()}, true
}

// shardedByClients says whether a key begins with the number of a shard that clients compute, as far as
// that can be seen: one of the numbers from 0 or 1 on, which are about as frequent as each other,
// before what grows.
func (k *key) shardedByClients() bool {
	parts := k.layout.Parts()
	if len(parts) < 2 || !parts[1].Plain() || !k.grows(k.column(parts[1].Column)) {
		return false
	}
	c := k.column(parts[0].Column)
	known := k.known.Stats.Columns[c.ID]
	switch {
	case c.Type.Kind() != types.KindInt:
		return false
	case known.Min.IsNull():
		return true // who knows
	}
	const uneven = 1.5
	often := slices.ContainsFunc(known.Common, func(v catalog.Common) bool { return v.Share*known.Distinct > uneven })
	return known.Min.Int() >= 0 && known.Min.Int() <= 1 &&
		float64(known.Max.Int()-known.Min.Int()+1) == known.Distinct && !often
}

func hashedTwice(k *key) (finding, bool) {
	of := k.layout.Columns()
	for _, p := range k.layout.Partition {
		if len(p.Pieces) == 1 {
			p = p.Pieces[0]
		}
		switch {
		case p.Kind == part.Shard && k.layout.Unique && len(of) == 1:
			return k.hashOf("a hash", k.column(of[0]))
		case p.Kind == part.Prefix && len(p.Columns()) == 1 && !k.grows(k.column(p.Columns()[0])):
			return k.unhashed("nothing but the md5", k.column(p.Columns()[0]),
				"where the column itself would do unless its values grow"), true
		case p.Kind == part.Text:
			at := slices.IndexFunc(p.Pieces,
				func(piece catalog.Part) bool { return piece.Kind == part.Prefix && len(piece.Columns()) == 1 })
			if at >= 0 {
				return k.hashOf("the md5", k.column(p.Pieces[at].Columns()[0]))
			}
		}
	}
	return finding{}, false
}

// hashOf looks at a hash of one column, whose values may be as even as a hash of them. Of a uuid that
// another program makes only values tell whether it is random.
func (k *key) hashOf(what string, c *catalog.Column) (finding, bool) {
	known := !k.known.Stats.Columns[c.ID].Min.IsNull()
	switch {
	case k.timedUUIDs(c):
	case sourceOf(c) == randomUUID, isUUID(c.Type) && known:
		return k.unhashed(what, c, "which spreads by itself"), true
	case isUUID(c.Type):
		return k.unhashed(what, c, "which spreads by itself if its uuids are random"), true
	}
	return finding{}, false
}

// unhashed is the finding about a hash of a column, with the key as it is without one.
func (k *key) unhashed(what string, c *catalog.Column, why string) finding {
	return finding{fmt.Sprintf("%s begins with %s of %q, %s", k, what, c.Name, why), k.with(k.plain())}
}
