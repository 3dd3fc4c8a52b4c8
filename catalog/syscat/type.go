package syscat

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr/builtin"
	"zproxy/types"
)

func allTypes(r *rows) {
	named := functionTypes()
	element, array := slices.Index(r.names(), "typelem"), slices.Index(r.names(), "typarray")
	for _, row := range r.recorded {
		oid := types.OID(row[0].Int())
		isNamed := named[oid] || named[types.OID(row[element].Int())] || named[types.OID(row[array].Int())]
		if r.wants(uint32(oid)) && (types.InfoOf(oid).OID == oid || pseudo(r.filled, row) || isNamed) {
			r.add(slices.Concat(row, []types.Value{types.Null, types.Null, types.Null})...)
		}
	}
	extensionTypes(r)
	for _, t := range r.Catalog.Types() {
		userTypes{r}.add(t)
	}
	for _, v := range r.Catalog.Virtuals() {
		r.rowType(v.Ref(), catalog.Rights{})
	}
	for _, t := range r.Catalog.Tables() {
		r.rowType(t.Ref(), catalog.Rights{Owner: t.Owner})
	}
	for _, v := range r.Catalog.Views() {
		r.rowType(v.Ref(), catalog.Rights{Owner: v.Owner})
	}
}

// functionTypes are the types that the rows of pg_proc name, of which pg_type must have those, too, that
// no column here has.
func functionTypes() map[types.OID]bool {
	named := map[types.OID]bool{}
	for _, p := range builtin.Procs() {
		for _, oid := range slices.Concat(p.Args, p.AllArgs, []types.OID{p.Result}) {
			named[oid] = oid != 0
		}
	}
	return named
}

// The functions of composite types and of arrays, as pg_proc has them.
const (
	recordIn, recordOut, recordReceive, recordSend = 2290, 2291, 2402, 2403
	arrayIn, arrayOut, arrayReceive, arraySend     = 750, 751, 2400, 2401
	arraySubscript, arrayAnalyze                   = 6179, 3816
)

// rowType adds the type of a relation's rows, and that of arrays of them.
func (r *rows) rowType(ref catalog.Ref, of catalog.Rights) {
	schema := r.Catalog.Schema(ref.Schema)
	row, array := catalog.RowType(ref.ID)
	if schema == nil || !r.wants(row) && !r.wants(array) {
		return
	}
	common := map[string]types.Value{
		"typnamespace": number(schema.ID), "typowner": number(of.OwnerID()), "typlen": number(-1), "typbyval": boolean(false),
		"typispreferred": boolean(false), "typisdefined": boolean(true), "typdelim": letter(','), "typalign": letter('d'),
		"typstorage": letter('x'), "typnotnull": boolean(false), "typtypmod": number(-1),
	}
	r.addNamed(common, map[string]types.Value{
		"oid": number(row), "typname": text(ref.Name), "typtype": letter('c'), "typcategory": letter('C'), "typrelid": number(ref.ID), "typacl": r.acl(of.ACL),
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
// are what they are where there is nothing to say.
func (r *rows) addNamed(values ...map[string]types.Value) {
	names := r.names()
	row := make([]types.Value, len(names))
	for i, ordinal := range r.ordinals {
		row[i] = r.others[ordinal]
	}
	for _, m := range values {
		for name, v := range m {
			row[slices.Index(names, name)] = v
		}
	}
	r.add(row...)
}
