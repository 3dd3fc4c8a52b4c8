package index

import (
	"slices"
	"strings"

	"zproxy/catalog"
)

// ShowColumns are those of SHOW INDEX.
var ShowColumns = []string{"Table", "Index", "Type", "Columns", "Stored", "Unique", "State"}

// indexStates are the states of an index as SHOW INDEX calls them.
var indexStates = map[catalog.State]string{
	catalog.Readable: "ACTIVE", catalog.Disabled: "DISABLED",
	catalog.DeleteOnly: "BUILDING", catalog.WriteOnly: "BUILDING", catalog.Backfill: "BUILDING",
	catalog.Validate: "BUILDING",
}

// Show lists the key of a table and its indexes, a row of texts for each, whose builds are among those that are
// given. The condition of a partial index is written by a function.
func Show(t *catalog.Table, builds []*catalog.Build, condition func(catalog.TableIndex) string) (out [][]string) {
	name := func(id uint32) string { return t.Columns[t.Ordinal(id)].Name }
	if t.PrimaryKey != "" {
		out = append(out, []string{t.Name, t.PrimaryKey, "primary", describeKey(t.Primary.Declared(), name), "all",
			"yes", "ACTIVE"})
	}
	for _, x := range t.Indexes {
		columns := describeKey(x.Layout.Declared(), name)
		if x.Partial() {
			columns += " WHERE " + condition(catalog.TableIndex{Table: t, Index: &x})
		}
		unique := map[bool]string{true: "yes", false: "no"}[x.Unique]
		state := indexStates[x.State]
		if slices.ContainsFunc(builds, func(b *catalog.Build) bool { return b.Index == x.ID && b.Queued(x.State) }) {
			state = "QUEUED"
		}
		out = append(out, []string{t.Name, x.Name, string(x.Method), columns, storedIn(&x, name), unique, state})
	}
	return out
}

// storedIn is what the entries of an index have of a row.
func storedIn(x *catalog.Index, name func(id uint32) string) string {
	switch {
	case x.Covers:
		return "all"
	case len(x.Include) == 0:
		return "key"
	}
	var names []string
	for _, id := range x.Include {
		names = append(names, name(id))
	}
	return "key, " + strings.Join(names, ", ")
}

// describeKey shows the columns of a key.
func describeKey(keys []catalog.KeyColumn, name func(id uint32) string) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = name(k.ID) + k.Direction()
	}
	return strings.Join(out, ", ")
}
