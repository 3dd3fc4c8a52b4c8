package syscat

import (
	"slices"

	"zproxy/catalog"
	"zproxy/types"
)

func allTypes(r *rows) {
	addKnown("oid")(r)
	for _, t := range r.Catalog.Tables() {
		r.rowType(t.Ref(), t.OwnerID())
	}
	for _, v := range r.Catalog.Views() {
		r.rowType(v.Ref(), v.OwnerID())
	}
}

// The functions of composite types and of arrays, as pg_proc has them.
const (
	recordIn, recordOut, recordReceive, recordSend = 2290, 2291, 2402, 2403
	arrayIn, arrayOut, arrayReceive, arraySend     = 750, 751, 2400, 2401
	arraySubscript, arrayAnalyze                   = 6179, 3816
)

// rowType adds the type of a relation's rows, and that of arrays of them.
func (r *rows) rowType(ref catalog.Ref, owner uint32) {
	schema := r.Catalog.Schema(ref.Schema)
	row, array := catalog.RowType(ref.ID)
	if schema == nil || !r.wants(row) && !r.wants(array) {
		return
	}
	common := map[string]types.Value{
		"typnamespace": number(schema.ID), "typowner": number(owner), "typlen": number(-1), "typbyval": boolean(false),
		"typispreferred": boolean(false), "typisdefined": boolean(true), "typdelim": letter(','), "typalign": letter('d'),
		"typstorage": letter('x'), "typnotnull": boolean(false), "typtypmod": number(-1),
	}
	r.addNamed(common, map[string]types.Value{
		"oid": number(row), "typname": text(ref.Name), "typtype": letter('c'), "typcategory": letter('C'), "typrelid": number(ref.ID),
		"typarray": number(array), "typinput": number(recordIn), "typoutput": number(recordOut), "typreceive": number(recordReceive), "typsend": number(recordSend),
	})
	r.addNamed(common, map[string]types.Value{
		"oid": number(array), "typname": text("_" + ref.Name), "typtype": letter('b'), "typcategory": letter('A'), "typelem": number(row),
		"typinput": number(arrayIn), "typoutput": number(arrayOut), "typreceive": number(arrayReceive), "typsend": number(arraySend),
		"typsubscript": number(arraySubscript), "typanalyze": number(arrayAnalyze),
	})
}

func rowTypeOf(relation uint32) uint32 {
	row, _ := catalog.RowType(relation)
	return row
}

// addNamed adds a row whose values have the names of their columns. Columns without a value
// are 0.
func (r *rows) addNamed(values ...map[string]types.Value) {
	names := r.names()
	row := slices.Repeat([]types.Value{number(0)}, len(names))
	for _, m := range values {
		for name, v := range m {
			row[slices.Index(names, name)] = v
		}
	}
	r.add(row...)
}
