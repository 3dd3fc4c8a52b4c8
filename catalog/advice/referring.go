package advice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/reference"
	"zproxy/expr"
)

// unindexedReferences finds foreign keys of a table over columns with which none of its keys begins. It is said of the
// primary key, once for the table.
func unindexedReferences(k *key) (finding, bool) {
	if k.index != nil {
		return finding{}, false
	}
	var names, ddl []string
	for i := range k.table.ForeignKeys {
		f := &k.table.ForeignKeys[i]
		if f.NotEnforced || indexed(k.table, f) {
			continue
		}
		names = append(names, strconv.Quote(f.Name))
		ddl = append(ddl, "CREATE INDEX ON "+k.tableName()+" ("+strings.Join(quotedColumns(k, f.Columns), ", ")+")")
	}
	if names == nil {
		return finding{}, false
	}
	return finding{fmt.Sprintf("table %q has no index for %s, so that a row which it refers to costs a read of the "+
		"whole table when it is deleted, or gets another key", k.table.Name, list(names)), strings.Join(ddl, "; ")}, true
}

// quotedColumns are the names of columns.
func quotedColumns(k *key, ids []uint32) []string {
	var out []string
	for _, id := range ids {
		out = append(out, expr.QuoteIdent(k.column(id).Name))
	}
	return out
}

// indexed says whether a key of a table begins with the columns of a foreign key, in any order.
func indexed(t *catalog.Table, f *reference.Key) bool {
	want := slices.Sorted(slices.Values(f.Columns))
	return slices.ContainsFunc(t.TableIndexes(), func(x catalog.TableIndex) bool {
		declared := x.Layout().Declared()
		if x.Index != nil && x.Index.Partial() || x.Method() == catalog.ZOrder || len(declared) < len(want) {
			return false
		}
		var have []uint32
		for _, d := range declared[:len(want)] {
			have = append(have, d.ID)
		}
		return slices.Equal(want, slices.Sorted(slices.Values(have)))
	})
}
