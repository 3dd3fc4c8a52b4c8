package syscat

import (
	"zproxy/catalog"
	"zproxy/types"
)

// The functions that read and print texts, as pg_proc has them, and those of hstore.
const (
	textIn, textOut, textReceive, textSend         = 46, 47, 2414, 2415
	hstoreIn, hstoreOut, hstoreReceive, hstoreSend = 9800, 9801, 9802, 9803
	hstoreSubscript                                = 9846
)

// eachExtensionType calls with the types of the extensions that there are, but for those of arrays.
func eachExtensionType(r *rows, each func(info *types.Info, x *catalog.Extension)) {
	all := types.All()
	for i := range all {
		if x := r.Catalog.Extension(all[i].Extension); x != nil && all[i].Element == types.OIDInvalid {
			each(&all[i], x)
		}
	}
}

// extensionTypes adds the types of extensions, and those of arrays of them.
func extensionTypes(r *rows) {
	eachExtensionType(r, func(info *types.Info, x *catalog.Extension) {
		schema := r.Catalog.Schema(x.Schema)
		if schema == nil || !r.wants(uint32(info.OID)) && !r.wants(uint32(info.Array)) {
			return
		}
		common := map[string]types.Value{
			"typnamespace": number(schema.ID), "typowner": number(x.OwnerID()), "typlen": number(-1), "typbyval": boolean(false),
			"typispreferred": boolean(false), "typisdefined": boolean(true), "typdelim": letter(','), "typalign": letter('i'),
			"typstorage": letter('x'), "typnotnull": boolean(false), "typtypmod": number(-1), "typtype": letter('b'),
		}
		own := map[string]types.Value{
			"oid": number(uint32(info.OID)), "typname": text(info.Name), "typcategory": letter(byte(info.Category)),
			"typarray": number(uint32(info.Array)),
		}
		for name, f := range extensionInput(info.OID) {
			own[name] = number(f)
		}
		r.addNamed(common, own)
		r.addNamed(common, map[string]types.Value{
			"oid": number(uint32(info.Array)), "typname": text("_" + info.Name), "typcategory": letter('A'),
			"typelem": number(uint32(info.OID)), "typinput": number(arrayIn), "typoutput": number(arrayOut),
			"typreceive": number(arrayReceive), "typsend": number(arraySend), "typsubscript": number(arraySubscript),
			"typanalyze": number(arrayAnalyze),
		})
	})
}

// extensionInput are the functions that read and print a type of an extension.
func extensionInput(of types.OID) map[string]uint32 {
	if of == types.OIDHstore {
		return map[string]uint32{"typinput": hstoreIn, "typoutput": hstoreOut, "typreceive": hstoreReceive,
			"typsend": hstoreSend, "typsubscript": hstoreSubscript}
	}
	return map[string]uint32{"typinput": textIn, "typoutput": textOut, "typreceive": textReceive, "typsend": textSend}
}

// extensionTypeDependencies are those of the types of extensions, and of what has columns of them.
func extensionTypeDependencies(r *rows) {
	eachExtensionType(r, func(info *types.Info, x *catalog.Extension) {
		own := part{classTypes, uint32(info.OID), 0}
		r.depends(own, part{classExtensions, x.ID, 0}, dependsExtension)
		r.depends(part{classTypes, uint32(info.Array), 0}, own, dependsInternal)
		for relation, columns := range r.Catalog.Users(info.OID) {
			for _, c := range columns {
				r.depends(part{classRelations, relation.Ref().ID, c}, own, dependsNormal)
			}
		}
	})
}
