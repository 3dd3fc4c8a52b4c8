// Package portable says what of the definitions of tables and indexes PostgreSQL has, too. Sessions that dump for
// PostgreSQL see no more than that in the catalogs: its own storage parameters, and its own kinds of indexes. The
// parameters' values are in package catalog/define.
package portable

import (
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
)

// storage are the storage parameters of PostgreSQL 15; those of autovacuum have a prefix of their own.
var storage = []string{
	"autosummarize", "deduplicate_items", "fastupdate", "fillfactor", "gin_pending_list_limit", "log_autovacuum_min_duration", "pages_per_range",
	"parallel_workers", "toast_tuple_target",
	"user_catalog_table", "vacuum_cleanup_index_scale_factor", "vacuum_index_cleanup", "vacuum_truncate",
}

// Option says whether PostgreSQL has a storage parameter.
func Option(name string) bool {
	name = strings.TrimPrefix(name, "toast.")
	return slices.Contains(storage, name) || strings.HasPrefix(name, "autovacuum_")
}

// Options are those of a table or an index that PostgreSQL has.
func Options(options map[string]string) map[string]string {
	out := maps.Clone(options)
	maps.DeleteFunc(out, func(name, _ string) bool { return !Option(name) })
	return out
}

// Index is the access method and the columns of the index of PostgreSQL that is nearest to a Z-order index: a B-tree,
// or if there are points, which B-trees do not have, gist with these. A function names the columns.
func Index(x catalog.TableIndex, named func(*catalog.Column) string) (method string, columns []string) {
	var points []string
	for _, k := range x.Columns() {
		if k.Included {
			break
		}
		c := &x.Table.Columns[x.Table.Ordinal(k.ID)]
		columns = append(columns, named(c))
		if len(axis.Of(k.ID, c.Type)) > 1 {
			points = append(points, named(c))
		}
	}
	if points != nil {
		return "gist", points
	}
	return "btree", columns
}
