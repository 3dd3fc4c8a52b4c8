package syscat

import (
	"zproxy/catalog"
	"zproxy/types"
)

// extensionClass is a class of operators that an extension has, in a family of its own that has its name.
type extensionClass struct {
	operatorClass
	extension string
	of        types.OID // whose values it orders
	key       types.OID // of what an index keeps of them; 0: of themselves
	isDefault bool
}

// The OIDs of the first class of an extension and of its family, which those of the others follow.
const (
	firstExtensionClass  = 9010
	firstExtensionFamily = 9030
)

// extensionClasses are all classes of extensions, in the order of their OIDs.
func extensionClasses() []extensionClass {
	return []extensionClass{
		{operatorClass{ginMethod, "gin_trgm_ops"}, "pg_trgm", types.OIDText, types.OIDInt4, false},
		{operatorClass{gistMethod, "gist_trgm_ops"}, "pg_trgm", types.OIDText, types.OIDInvalid, false},
		{operatorClass{btreeMethod, "btree_hstore_ops"}, "hstore", types.OIDHstore, types.OIDInvalid, true},
		{operatorClass{hashMethod, "hash_hstore_ops"}, "hstore", types.OIDHstore, types.OIDInvalid, true},
		{operatorClass{ginMethod, "gin_hstore_ops"}, "hstore", types.OIDHstore, types.OIDText, true},
		{operatorClass{gistMethod, "gist_hstore_ops"}, "hstore", types.OIDHstore, types.OIDInvalid, true},
		{operatorClass{btreeMethod, "citext_ops"}, "citext", types.OIDCitext, types.OIDInvalid, true},
		{operatorClass{hashMethod, "citext_ops"}, "citext", types.OIDCitext, types.OIDInvalid, true},
		{operatorClass{btreeMethod, "citext_pattern_ops"}, "citext", types.OIDCitext, types.OIDInvalid, false},
	}
}

// eachExtensionClass calls with the classes of the extensions that there are, and the schemas that they are in.
func eachExtensionClass(r *rows, each func(c extensionClass, i uint32, x *catalog.Extension, in *catalog.Schema)) {
	for i, c := range extensionClasses() {
		x := r.Catalog.Extension(c.extension)
		if x == nil {
			continue
		}
		if in := r.Catalog.Schema(x.Schema); in != nil {
			each(c, uint32(i), x, in)
		}
	}
}

func families(r *rows) {
	addStatic(r)
	eachExtensionClass(r, func(c extensionClass, i uint32, x *catalog.Extension, in *catalog.Schema) {
		r.add(number(firstExtensionFamily+i), number(c.method), text(c.name), number(in.ID), number(x.OwnerID()))
	})
}

func classesOfOperators(r *rows) {
	addKnown("opcintype")(r)
	r.add(number(zorderClass), number(zorderMethod), text("zorder_ops"), number(pgCatalog), number(superuser),
		number(zorderFamily), number(types.OIDAny), boolean(true), number(0))
	eachExtensionClass(r, func(c extensionClass, i uint32, x *catalog.Extension, in *catalog.Schema) {
		r.add(number(firstExtensionClass+i), number(c.method), text(c.name), number(in.ID), number(x.OwnerID()),
			number(firstExtensionFamily+i), number(c.of), boolean(c.isDefault), number(c.key))
	})
}

// ExtensionClass is the name of the class of operators of an OID, or of the family of one, and the schema that has it,
// if it is of an extension that there is.
func ExtensionClass(snap *catalog.Snapshot, oid uint32) (name, schema string) {
	for i, c := range extensionClasses() {
		if oid == firstExtensionClass+uint32(i) || oid == firstExtensionFamily+uint32(i) {
			if x := snap.Extension(c.extension); x != nil {
				return c.name, x.Schema
			}
		}
	}
	return "", ""
}
