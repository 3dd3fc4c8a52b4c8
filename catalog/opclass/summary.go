package opclass

import (
	"slices"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/types"
)

// The endings of the names of the classes of indexes of method brin, by how they sum up the values of pages.
const (
	bounds  = "_minmax_ops"
	several = "_minmax_multi_ops"
	bloom   = "_bloom_ops"
	covers  = "_inclusion_ops"
)

// summaries are the classes of indexes of method brin: for each type the endings of their names, that of the default
// one first.
var summaries = map[string][]string{
	"range": {covers}, "box": {covers}, "inet": {covers, bounds, several, bloom},
	"bit": {bounds}, "varbit": {bounds},
	"text": {bounds, bloom}, "bpchar": {bounds, bloom}, "bytea": {bounds, bloom}, "char": {bounds, bloom},
	"name": {bounds, bloom},
	"int2": {bounds, several, bloom}, "int4": {bounds, several, bloom}, "int8": {bounds, several, bloom},
	"float4": {bounds, several, bloom}, "float8": {bounds, several, bloom}, "numeric": {bounds, several, bloom},
	"oid": {bounds, several, bloom}, "tid": {bounds, several, bloom}, "pg_lsn": {bounds, several, bloom},
	"date": {bounds, several, bloom}, "time": {bounds, several, bloom}, "timetz": {bounds, several, bloom},
	"timestamp": {bounds, several, bloom}, "timestamptz": {bounds, several, bloom},
	"interval": {bounds, several, bloom}, "uuid": {bounds, several, bloom}, "macaddr": {bounds, several, bloom},
	"macaddr8": {bounds, several, bloom},
}

// DefaultOf is Default for indexes of a method, empty where the type has none.
func DefaultOf(method catalog.Method, t types.T) string {
	if method != catalog.BRIN {
		return Default(t)
	}
	of := summed(t)
	if all := summaries[of]; all != nil {
		return of + all[0]
	}
	return ""
}

// summed is the type by which classes are named that accept another one.
func summed(t types.T) string {
	t = t.Base()
	switch info := types.InfoOf(t.OID); {
	case t.OID == types.OIDVarchar:
		return "text"
	case t.OID == types.OIDCidr:
		return "inet"
	case info.Category == types.CategoryRange:
		return "range"
	default:
		return info.Name
	}
}

// chosenSummary is Chosen for an index of method brin.
func chosenSummary(name string, t types.T) (string, error) {
	of := summed(t)
	for i, ending := range summaries[of] {
		switch {
		case name == of+ending && i == 0:
			return "", nil
		case name == of+ending:
			return name, nil
		}
	}
	for other, endings := range summaries {
		if slices.ContainsFunc(endings, func(ending string) bool { return name == other+ending }) {
			return "", sqlerr.New(sqlerr.DatatypeMismatch, "operator class %q does not accept data type %s", name,
				t.Bare())
		}
	}
	return "", sqlerr.New(sqlerr.UndefinedObject, "operator class %q does not exist for access method \"brin\"", name)
}
