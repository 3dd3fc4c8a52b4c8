// Package opclass names the operator classes of PostgreSQL by which indexes of methods btree and hash order or hash
// columns. Keys have one order for each type, bytewise for texts. So the classes of a type that compare by patterns are
// the same as its default one, and an index only keeps their names.
package opclass

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/types"
)

// others are the classes that are no type's default, with the types that they accept.
var others = map[string][]types.OID{
	"text_pattern_ops":    {types.OIDText, types.OIDVarchar},
	"varchar_pattern_ops": {types.OIDText, types.OIDVarchar},
	"varchar_ops":         {types.OIDText, types.OIDVarchar},
	"bpchar_pattern_ops":  {types.OIDBpchar},
	"cidr_ops":            {types.OIDInet, types.OIDCidr},
}

// Default is the class that an index of a column has which names none.
func Default(t types.T) string {
	t = t.Base()
	info := types.InfoOf(t.OID)
	switch {
	case t.OID == types.OIDVarchar:
		return "text_ops"
	case t.OID == types.OIDCidr:
		return "inet_ops"
	case t.OID == types.OIDHstore:
		return "btree_hstore_ops"
	case info.Name == "oidvector":
		return "oidvector_ops"
	case info.Kind == types.KindArray:
		return "array_ops"
	case t.OID.IsEnum():
		return "enum_ops"
	case t.IsComposite():
		return "record_ops"
	case info.Category == types.CategoryRange:
		if strings.HasSuffix(info.Name, "multirange") {
			return "multirange_ops"
		}
		return "range_ops"
	}
	return info.Name + "_ops"
}

// Of is the class that an index has of the i-th column of its key, empty for the default one.
func Of(x catalog.TableIndex, i int) string {
	if x.Index == nil || i >= len(x.Index.Classes) {
		return ""
	}
	return x.Index.Classes[i]
}

// Chosen is the class that a definition names for a column, empty when it is the default one.
func Chosen(method, name string, t types.T) (string, error) {
	name = strings.TrimPrefix(name, "pg_catalog.")
	if method == string(catalog.BRIN) {
		return chosenSummary(name, t)
	}
	accepted, other := others[name]
	switch {
	case name == Default(t):
		return "", nil
	case !other && !slices.ContainsFunc(types.All(), isDefault(name)):
		return "", sqlerr.New(sqlerr.UndefinedObject, "operator class %q does not exist for access method %q", name,
			method)
	case !slices.Contains(accepted, t.Base().OID):
		return "", sqlerr.New(sqlerr.DatatypeMismatch, "operator class %q does not accept data type %s", name,
			t.Bare())
	}
	return name, nil
}

func isDefault(name string) func(types.Info) bool {
	return func(of types.Info) bool { return Default(types.Of(of.OID)) == name }
}
