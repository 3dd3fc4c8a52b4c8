package define

import (
	"time"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/encoding/cells"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// timed gives the cells of a table timestamps if its class says so. The cells of rows that are there have the
// present time. Cells that have timestamps keep them: without those rows that were deleted would be there again.
func timed(t *NewTable, options []ast.Option, now time.Time) error {
	pos := int(positionOf(options, catalog.MutabilityOption))
	wanted := celltime.Wanted(t.Mutability())
	needs := timedOption(t.Table)
	switch {
	case needs != "" && !wanted:
		return badTTL(options, needs, "parameter %q needs %s = '%s'", needs, catalog.MutabilityOption, celltime.UDT)
	case celltime.Has(t.Table) && !wanted:
		return sqlerr.Unsupported("taking the timestamps of its cells from table %q", t.Name).At(pos).
			WithDetail("Rows that were deleted would be there again.").
			WithHint("Copy the rows to a new table.")
	case celltime.Has(t.Table) && t.TTL != nil:
		return sqlerr.Unsupported("a ttl of a table whose cells have timestamps")
	case !wanted || celltime.Has(t.Table):
		return nil
	case t.PrimaryKey == "":
		return sqlerr.Unsupported("MUTABILITY = '%s' of a table without a primary key", t.Mutability()).At(pos).
			WithDetail("Writes of one row are known by its key.")
	case t.Primary.Random() != nil:
		return sqlerr.Unsupported("MUTABILITY = '%s' of a table with random shards", t.Mutability()).At(pos)
	case t.TTL != nil:
		return sqlerr.Unsupported("a ttl of a table whose cells have timestamps").At(pos)
	}
	for _, name := range []string{celltime.Times, celltime.Deleted} {
		if t.Column(name) >= 0 {
			return sqlerr.New(sqlerr.DuplicateColumn, "column name %q conflicts with a system column name", name).
				At(pos)
		}
	}
	at := cells.At(now.UnixMilli()) + 1
	columns := []uint32{cells.Row}
	for _, c := range t.Columns {
		if !c.Hidden {
			columns = append(columns, c.ID)
		}
	}
	written := cells.Written(at, columns...)
	t.conceal(catalog.Column{Name: celltime.Times, Type: types.Of(types.OIDBytea),
		Missing: types.NewBytes(written.Append(nil))})
	t.conceal(catalog.Column{Name: celltime.Deleted, Type: types.Int8})
	return nil
}

// timedOption is an option of a table that is for cells with timestamps, empty where it has none.
func timedOption(t *catalog.Table) string {
	if celltime.Versions(t) > 1 {
		return celltime.VersionsOption
	}
	if _, keeps := t.Options[celltime.RetentionOption]; keeps {
		return celltime.RetentionOption
	}
	return ""
}

// invalidMutability tells which classes there are.
func invalidMutability(o ast.Option) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for enum option %q: %s", o.Name, o.Value).
		At(int(o.Pos)).
		WithDetail("Valid values are \"%s\", \"%s\", \"%s\", \"%s\" and \"%s\".", catalog.Immutable,
			catalog.ImmutableRows, catalog.MutableLatest, celltime.All, celltime.UDT)
}

// versions wants a number of versions. More than one are told by their timestamps, so they are of a table whose cells
// have such, unless its class says otherwise.
func versions(t *catalog.Table, o ast.Option) error {
	n, err := celltime.ReadVersions(o.Value)
	if err != nil {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", o.Name, o.Value).
			At(int(o.Pos)).WithHint("A table keeps from 1 to %d versions of each cell.", celltime.MaxVersions)
	}
	if _, chosen := t.Options[catalog.MutabilityOption]; n > 1 && !chosen {
		t.Options[catalog.MutabilityOption] = string(celltime.UDT)
	}
	return nil
}

// mutability wants the name of a class of tables that there is.
func mutability(o ast.Option) error {
	if _, known := celltime.Class(o.Value); !known {
		return invalidMutability(o)
	}
	return nil
}
