package index

import (
	"strconv"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// setStatistics runs ALTER COLUMN SET STATISTICS of an index, which is for expressions: columns have what their table
// says.
func setStatistics(x catalog.TableIndex, cmd ast.AlterCommand) error {
	columns, at := x.Columns(), -1
	name := func(i int) string { return x.Table.Columns[x.Table.Ordinal(columns[i].ID)].Name }
	for i, c := range columns {
		if c.ID != 0 && name(i) == cmd.Name {
			at = i
		}
	}
	for _, o := range cmd.Options {
		if o.Name != ast.NumberOption {
			continue
		}
		n, err := strconv.Atoi(o.Value)
		if err != nil || n > len(columns) {
			return sqlerr.New(sqlerr.UndefinedColumn, "column number %s of relation %q does not exist", o.Value,
				x.Ref().Name)
		}
		at = n - 1
	}
	switch {
	case at < 0:
		return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", cmd.Name, x.Ref().Name)
	case columns[at].Included:
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter statistics on included column %q of index %q",
			name(at), x.Ref().Name)
	case columns[at].ID != 0:
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"cannot alter statistics on non-expression column %q of index %q", name(at), x.Ref().Name).
			WithHint("Alter statistics on table column instead.")
	}
	return nil // which are computed as those of columns are
}
