// Package advice finds keys that will perform badly: keys of tables and indexes that send all writes to one
// partition or range, or that hardly tell rows apart. Each finding has the DDL of a better key. The package goes by
// the catalog and by the statistics that it already has; it reads no rows. How a client gets the advice is decided
// elsewhere. Read On and Propose first.
package advice

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Level is what advice a client wants.
type Level string

// The levels.
const (
	Off      Level = "off"
	Own      Level = "on"       // on what the store of the table suffers from
	Portable Level = "portable" // also on what stores suffer from that divide ranges of keys among servers
)

// Known is what is known of the rows of a table, and of the store that has them. Without the store it is
// that of a new table.
type Known struct {
	Store store.Capabilities
	Stats catalog.Stats
	// Samples are values that are not NULL, by column ID: of the dimensions of Z-order indexes.
	Samples map[uint32][]types.Value
	// Follows says how far the values of a column follow from those of others, as executor.Survey does; nil: not
	// known.
	Follows func(column uint32, of []uint32) (rows int, share float64)
	// Newest says of how many reads of the first rows in the order of an index, by its number, that order was reversed;
	// nil: not known.
	Newest func(index uint32) (reversed, forward int64)
	// Declared is how many values conditions of the table leave to columns, by column ID; 0 of
	// those that may have any number.
	Declared map[uint32]float64
	// Anew are the dimensions that Z-order indexes would have if they were built again, by the IDs of the
	// indexes.
	Anew map[uint32][]catalog.Dimension
	// Split says that the client also wants advice for stores that divide ranges of keys among servers.
	Split bool
	// Later says that the index is built in the background: what that will learn of the rows
	// is not known.
	Later bool
}

// On is the advice on an index of a table as it was declared, or, for a nil index, on the
// primary key: a notice for each rule that the key breaks.
func On(t *catalog.Table, x *catalog.Index, known Known) []*sqlerr.Error {
	k := &key{table: t, index: x, layout: &t.Primary, known: known}
	if x != nil {
		k.layout = &x.Layout
	}
	if strings.HasPrefix(t.Schema, catalog.TemporaryPrefix) {
		return nil
	}
	var out []*sqlerr.Error
	for _, r := range rules {
		if !r.stores.have(known) {
			continue
		}
		if found, ok := r.judge(k); ok {
			out = append(out, sqlerr.Notice(r.code, "%s (advice %s)", found.sentence, r.code).WithHint("%s", found.ddl))
		}
	}
	return out
}

// Against says whether an index has a fault, which one that only costs something has not.
func Against(t *catalog.Table, x *catalog.Index, known Known) bool {
	return slices.ContainsFunc(On(t, x, known), func(n *sqlerr.Error) bool { return !tellsCost(n) })
}

// tellsCost says whether a notice finds no fault with a key, but tells what it costs.
func tellsCost(n *sqlerr.Error) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.cost && r.code == n.Code })
}

// ByValues is the advice that only the values of the rows give reason for.
func ByValues(t *catalog.Table, x *catalog.Index, known Known) []*sqlerr.Error {
	noticed := map[string]bool{}
	design := Known{Store: known.Store, Declared: known.Declared, Split: known.Split}
	for _, n := range On(t, x, design) {
		noticed[n.Message] = true
	}
	return slices.DeleteFunc(On(t, x, known), func(n *sqlerr.Error) bool { return noticed[n.Message] })
}

// Since is the advice on the keys of a table that it did not give before the table was
// changed: on keys that are new, and on those that the change has spoilt.
func Since(before, after *catalog.Table, known Known) []*sqlerr.Error {
	noticed := map[saying]bool{}
	for _, n := range onAll(before, known) {
		noticed[n.saying] = true
	}
	var out []*sqlerr.Error
	for _, n := range onAll(after, known) {
		if !noticed[n.saying] {
			out = append(out, n.notice)
		}
	}
	return out
}

// saying is what was said of a key, which its ID tells from one of the same name.
type saying struct {
	key      uint32
	sentence string
}

type noticed struct {
	saying
	notice *sqlerr.Error
}

// onAll is the advice on all keys of a table.
func onAll(t *catalog.Table, known Known) []noticed {
	var out []noticed
	add := func(id uint32, list []*sqlerr.Error) {
		for _, n := range list {
			sentence := n.Message
			if tellsCost(n) {
				sentence = string(n.Code) // numbers that change are no news
			}
			out = append(out, noticed{saying{id, sentence}, n})
		}
	}
	add(t.KeyID, On(t, nil, known))
	for i := range t.Indexes {
		add(t.Indexes[i].ID, On(t, &t.Indexes[i], known))
	}
	return out
}

// finding is that a key breaks a rule: one sentence, and the DDL that does not.
type finding struct{ sentence, ddl string }

// rule is one piece of advice. Its code is an SQLSTATE of class 01 and never changes its
// meaning, so that clients and people can look for it.
type rule struct {
	code  sqlerr.Code
	title string
	why   string // what the page for users says of it
	do    string
	// cost says that the rule finds no fault with a key, but tells what it costs.
	cost bool
	// stores are those that suffer from such a key. A remedy costs something, so others are not advised it.
	stores stores
	judge  func(k *key) (finding, bool)
}

// stores are kinds of stores, told apart by their Capabilities; none is every store.
type stores uint8

const (
	ordered stores = 1 << iota // partitions are in the order of their keys
	hashed                     // each partition has a place of its own, in no order, and limits of its own
	metered                    // and reads and writes are counted
	split                      // several servers have ranges of ordered keys; none of zproxy's stores is of this kind
)

// have says whether a store is one of them, or one that is split of which a client wants to hear, too.
func (s stores) have(known Known) bool {
	c := known.Store
	return s == 0 || s&ordered != 0 && c.OrderedPartitions || s&hashed != 0 && !c.OrderedPartitions ||
		s&metered != 0 && c.Units || s&split != 0 && known.Split
}

// String is what the page for users says of them.
func (s stores) String() string {
	switch s {
	case ordered:
		return "Stores: Pebble, whose partitions are in order."
	case hashed:
		return "Stores: DynamoDB, where each partition has a place and limits of its own."
	case metered:
		return "Stores: DynamoDB, which limits what one partition takes."
	case split:
		return "Stores: those that divide ranges of keys among servers, with `zproxy.advice = portable`."
	case hashed | split:
		return "Stores: DynamoDB; with `zproxy.advice = portable` also those that divide ranges of keys among servers."
	}
	return "Stores: all."
}
