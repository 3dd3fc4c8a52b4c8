package syscat

import (
	"slices"

	"zproxy/types"
)

// fixedCatalogs are those in which there is the same in every database.
func fixedCatalogs() []definition {
	return []definition{
		{name: "pg_type", key: "oid", columns: "typacl typdefault typdefaultbin", rows: allTypes},
		{name: "pg_am", key: "oid", rows: methods},
		{name: "pg_opfamily", key: "oid", rows: addStatic},
		{name: "pg_opclass", key: "oid", rows: classesOfOperators},
		{name: "pg_collation", key: "oid", rows: addStatic},
		{name: "pg_language", key: "oid", rows: addStatic},
		{name: "pg_range", key: "rngtypid", rows: addStatic},
		{name: "pg_tablespace", key: "oid", rows: addStatic},
	}
}

// The OIDs of access methods; that of Z-order indexes is one that PostgreSQL does not use.
const (
	heapMethod   = 2
	btreeMethod  = 403
	zorderMethod = 9001
	zorderFamily = 9002
	zorderClass  = 9003
)

func methods(r *rows) {
	addStatic(r)
	r.add(number(zorderMethod), text("zorder"), number(0), letter('i'))
}

func classesOfOperators(r *rows) {
	addKnown("opcintype")(r)
	r.add(number(zorderClass), number(zorderMethod), text("zorder_ops"), number(pgCatalog), number(superuser),
		number(zorderFamily), number(types.OIDAny), boolean(true), number(0))
}

// defaultClasses reads the default classes of types from the rows of pg_opclass.
func defaultClasses(f *filled) map[types.OID]uint32 {
	names := f.names()
	oid, typ, isDefault := slices.Index(names, "oid"), slices.Index(names, "opcintype"),
		slices.Index(names, "opcdefault")
	out := map[types.OID]uint32{}
	for _, row := range f.recorded {
		if row[isDefault].Bool() {
			out[types.OID(row[typ].Int())] = uint32(row[oid].Int())
		}
	}
	out[types.OIDVarchar] = out[types.OIDText] // which it is ordered as
	for _, r := range types.RangeTypes() {
		out[r.OID], out[r.Multirange] = out[types.OIDAnyRange], out[types.OIDAnyMultirange]
	}
	return out
}

// operatorClass is the class by which an index with a method orders values of a type.
func (r *Relations) operatorClass(zorder bool, of types.OID) uint32 {
	if zorder {
		return zorderClass
	}
	switch _, array := of.Enum(); {
	case of.IsEnum():
		return enumClass
	case array:
		return arrayClass
	}
	return r.btreeClasses[of]
}
