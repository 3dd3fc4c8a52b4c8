package ddl

import (
	"cmp"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/types"
)

// RowsStay refuses a statement that would need the rows of a composite type or a table in columns of tables written
// anew.
func RowsStay(snap *catalog.Snapshot, of catalog.Ref) error {
	row, array := types.RowOID(of.ID)
	column := storedIn(snap, row, array)
	switch {
	case column == "":
		return nil
	case of.Kind == "type":
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter type %q because column \"%s\" uses it", of.Name,
			column)
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot alter table %q because column \"%s\" uses its row type",
		of.Name, column)
}

// storedIn is a column of a table, behind the name of that, whose values have values of a type inside; empty: there is
// none. It looks at what has arrays of the type first, then in the order in which relations and types were made.
func storedIn(snap *catalog.Snapshot, one, array types.OID) string {
	if array != types.OIDInvalid {
		if column := storedIn(snap, array, types.OIDInvalid); column != "" {
			return column
		}
	}
	type user struct {
		id         uint32
		column     string
		one, array types.OID // of a type whose values have such inside
	}
	var users []user
	for r, columns := range snap.Users(one) {
		of := user{id: r.Ref().ID}
		switch r := r.(type) {
		case *catalog.Table:
			of.column = r.Name + "." + r.Columns[r.Ordinal(columns[0])].Name
		default:
			of.one, of.array = types.RowOID(of.id)
		}
		users = append(users, of)
	}
	for _, t := range snap.Types() {
		has := t.Domain != nil && t.Domain.Base.Number() == one
		if has || slices.ContainsFunc(t.Fields, func(f catalog.Field) bool { return f.Type.Number() == one }) {
			of := user{id: t.ID}
			of.one, of.array = t.OIDs()
			users = append(users, of)
		}
	}
	slices.SortFunc(users, func(a, b user) int { return cmp.Compare(a.id, b.id) })
	for _, u := range users {
		column := u.column
		if column == "" {
			column = storedIn(snap, u.one, u.array)
		}
		if column != "" {
			return column
		}
	}
	return ""
}

// rowType is the type of the rows of a table, which goes with it.
func rowType(t *catalog.Table) dependent {
	row, _ := types.RowOID(t.ID)
	return dependent{Target{Object: t, Type: row}, true}
}

// rowsOf is what depends on the type of the rows of a table, or on that of arrays of them.
func rowsOf(d *drop, t *catalog.Table, of types.OID) []dependent {
	out := d.users(of)
	if row, array := types.RowOID(t.ID); of == row {
		out = append(out, dependent{Target{Object: t, Type: array}, true})
	}
	return out
}

// typeName names the type of a target.
func typeName(d *Definer, snap *catalog.Snapshot, t Target) string {
	of, ok := t.Object.(*catalog.Table)
	if !ok {
		return types.Of(t.Type).String()
	}
	name := strings.TrimPrefix(namedFrom(d, snap, of), string(of.Ref().Kind)+" ")
	if row, _ := types.RowOID(of.ID); t.Type != row {
		name += "[]"
	}
	return name
}
