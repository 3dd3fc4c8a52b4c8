package syscat

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/opclass"
	"zproxy/types"
)

// fixedCatalogs are those in which there is the same in every database.
func fixedCatalogs() []definition {
	return []definition{
		{name: "pg_type", key: "oid", columns: "typacl typdefault typdefaultbin", rows: allTypes},
		{name: "pg_am", key: "oid", rows: methods},
		{name: "pg_opfamily", key: "oid", rows: families},
		{name: "pg_opclass", key: "oid", rows: classesOfOperators},
		{name: "pg_collation", key: "oid", columns: "colliculocale collversion", rows: collations},
		{name: "pg_language", key: "oid", columns: "lanacl", rows: addAmended("lanowner")},
		{name: "pg_range", key: "rngtypid", rows: ranges},
		{name: "pg_ts_config", key: "oid", rows: addStatic},
		{name: "pg_ts_config_map", key: "mapcfg", rows: addStatic},
		{name: "pg_ts_dict", key: "oid", rows: addStatic},
		{name: "pg_ts_parser", key: "oid", rows: addStatic},
		{name: "pg_ts_template", key: "oid", rows: addStatic},
		{name: "pg_tablespace", key: "oid", columns: "spcacl", rows: addAmended("spcowner")},
	}
}

// The OIDs of access methods; that of Z-order indexes is one that PostgreSQL does not use.
const (
	heapMethod   = 2
	btreeMethod  = 403
	hashMethod   = 405
	brinMethod   = 3580
	gistMethod   = 783
	ginMethod    = 2742
	zorderMethod = 9001
	zorderFamily = 9002
	zorderClass  = 9003
)

func methods(r *rows) {
	addStatic(r)
	r.add(number(zorderMethod), text("zorder"), number(0), letter('i'))
}

// operatorClass is a class of operators by its name.
type operatorClass struct {
	method uint32
	name   string
}

// indexClasses reads the OIDs of classes from the rows of pg_opclass.
func indexClasses(f *filled) map[operatorClass]uint32 {
	names := f.names()
	oid, method, name := slices.Index(names, "oid"), slices.Index(names, "opcmethod"), slices.Index(names, "opcname")
	out := map[operatorClass]uint32{}
	for _, row := range f.recorded {
		out[operatorClass{uint32(row[method].Int()), row[name].Text()}] = uint32(row[oid].Int())
	}
	for i, c := range extensionClasses() {
		out[c.operatorClass] = firstExtensionClass + uint32(i)
	}
	return out
}

// operatorClass is the class by which an index with a method has values of a type, the default one where it names none.
func (r *Relations) operatorClass(method catalog.Method, name string, of types.T) uint32 {
	if method == catalog.ZOrder {
		return zorderClass
	}
	return r.indexClasses[operatorClass{methodOIDs()[method], cmp.Or(name, opclass.DefaultOf(method, of))}]
}

// methodOIDs are the access methods of indexes in pg_am.
func methodOIDs() map[catalog.Method]uint32 {
	return map[catalog.Method]uint32{catalog.BTree: btreeMethod, catalog.Hash: hashMethod, catalog.BRIN: brinMethod,
		catalog.GiST: gistMethod, catalog.GIN: ginMethod, catalog.ZOrder: zorderMethod}
}
