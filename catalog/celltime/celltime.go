// Package celltime says which tables have timestamps for their cells, and where these are: in two hidden columns,
// which a table of one of two classes has. What the timestamps mean is package cells's matter. Read Has first.
package celltime

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/sqlerr"
)

// The classes of tables whose cells have timestamps, which may be the writer's own (user-defined timestamps). They
// are the same.
const (
	UDT catalog.Mutability = "MUTABLE_UDT"
	All catalog.Mutability = "MUTABLE_ALL"
)

// Wanted says whether a class is one of tables whose cells have timestamps.
func Wanted(m catalog.Mutability) bool { return m == UDT || m == All }

// The names of the hidden columns: when the cells of a row were written, and when a row that is no more was deleted,
// in milliseconds.
const (
	Times   = "_cells"
	Deleted = "_deleted"
)

// Has says whether the cells of a table have timestamps.
func Has(t *catalog.Table) bool { return DeletedAt(t) >= 0 }

// Missing is the error of what needs the timestamps of cells, nil where a table has them.
func Missing(t *catalog.Table) *sqlerr.Error {
	if Has(t) {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "table %q has no timestamps of its cells", t.Name).
		WithHint("ALTER TABLE %s.%s SET (%s = '%s') gives its cells timestamps.", expr.QuoteIdent(t.Schema),
			expr.QuoteIdent(t.Name), catalog.MutabilityOption, UDT)
}

// VersionsOption is the option of a table that says how many versions of each cell are kept, and MaxVersions the most.
const (
	VersionsOption = "versions"
	MaxVersions    = 1000
)

// Versions is how many versions of each cell of a table are kept.
func Versions(t *catalog.Table) int {
	n, err := ReadVersions(t.Options[VersionsOption])
	if err != nil {
		return 1
	}
	return n
}

// ReadVersions reads a number of versions.
func ReadVersions(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && (n < 1 || n > MaxVersions) {
		err = strconv.ErrRange
	}
	return n, err
}

// RetentionOption is the option of a table that says how long the timestamps of its deletes are kept.
const RetentionOption = "delete_retention"

// Retention is how many milliseconds the timestamp of a delete is kept; false: for ever.
func Retention(t *catalog.Table) (int64, bool) {
	var life catalog.TTL
	ok := Has(t) && life.Parse(t.Options[RetentionOption]) == nil
	return life.Life / 1000, ok
}

// DeletedAt is the place of the column that is NULL in rows that are there, -1 where all are.
func DeletedAt(t *catalog.Table) int { return hidden(t, Deleted) }

func hidden(t *catalog.Table, name string) int {
	return slices.IndexFunc(t.Columns, func(c catalog.Column) bool { return c.Hidden && c.Name == name })
}

// Layout says where the rows of a table have their cells and timestamps; nil where they have none.
func Layout(t *catalog.Table) *cells.Layout {
	if !Has(t) {
		return nil
	}
	out := &cells.Layout{Times: hidden(t, Times), Deleted: DeletedAt(t), Versions: Versions(t)}
	key := t.KeyOrdinals()
	for i, c := range t.Columns {
		if !c.Hidden && !slices.Contains(key, i) {
			out.Columns = append(out.Columns, cells.Column{ID: c.ID, Ordinal: i})
		}
	}
	return out
}

// Class is the class with a name, if there is one.
func Class(name string) (catalog.Mutability, bool) {
	m := catalog.Mutability(strings.ToUpper(name))
	known := []catalog.Mutability{catalog.MutableLatest, catalog.ImmutableRows, catalog.Immutable, UDT, All}
	return m, slices.Contains(known, m)
}
