package syscat

import (
	"zproxy/catalog"
	"zproxy/types"
)

// classTypes is the catalog of types.
const classTypes = 1247

// The functions of enums, as pg_proc has them, and the class by which indexes order them.
const (
	enumIn, enumOut, enumReceive, enumSend = 3506, 3507, 3532, 3533
	enumClass, arrayClass                  = 10069, 10000
)

// The functions of types that are but names.
const shellIn, shellOut = 2398, 2399

// enumForm is how PostgreSQL keeps the values of enums, arrayForm arrays of them and ranges, and rowForm rows and
// arrays of rows.
var (
	enumForm  = form{length: 4, byValue: true, align: "i", storage: "p"}
	arrayForm = form{length: -1, align: "i", storage: "x"}
	rowForm   = form{length: -1, align: "d", storage: "x"}
)

// enumCatalogs tell of the labels of enums.
func enumCatalogs() []definition {
	return []definition{
		{name: "pg_enum", key: "enumtypid", columns: "oid enumtypid enumsortorder enumlabel", rows: labels},
	}
}

func labels(r *rows) {
	for _, t := range r.Catalog.Types() {
		one, _ := t.OIDs()
		if !r.wants(uint32(one)) {
			continue
		}
		for _, l := range t.Labels {
			r.add(number(l.ID), number(one), types.NewFloat(float64(l.At)), text(l.Text))
		}
	}
}

// userTypes adds what there is of the types that users made.
type userTypes struct{ *rows }

// add adds a type, and that of arrays of it.
func (r userTypes) add(t *catalog.Type) {
	one, array := t.OIDs()
	schema := r.Catalog.Schema(t.Schema)
	if schema == nil || !r.wants(uint32(one)) && !r.wants(uint32(array)) {
		return
	}
	if t.Composite {
		r.rowType(t.Ref(), t.Rights)
		return
	}
	common := map[string]types.Value{
		"typnamespace": number(schema.ID), "typowner": number(t.OwnerID()),
		"typispreferred": boolean(false), "typisdefined": boolean(true), "typdelim": letter(','), "typalign": letter('i'),
		"typnotnull": boolean(false), "typtypmod": number(-1),
	}
	if t.Domain != nil {
		r.addNamed(common, map[string]types.Value{"oid": number(one)}, r.domain(t))
		r.arrays(t, common)
		return
	}
	if t.Range != nil || t.RangeOf != 0 {
		r.rangeType(t, common)
		return
	}
	if t.Shell {
		r.addNamed(common, map[string]types.Value{
			"oid": number(one), "typname": text(t.Name), "typlen": number(4), "typbyval": boolean(true),
			"typtype": letter('p'), "typcategory": letter('P'), "typisdefined": boolean(false), "typstorage": letter('p'),
			"typinput": number(shellIn), "typoutput": number(shellOut), "typacl": r.acl(t.ACL),
		})
		return
	}
	r.addNamed(common, map[string]types.Value{
		"oid": number(one), "typname": text(t.Name), "typlen": number(4), "typbyval": boolean(true),
		"typtype": letter('e'), "typcategory": letter('E'), "typarray": number(array), "typstorage": letter('p'),
		"typinput": number(enumIn), "typoutput": number(enumOut), "typreceive": number(enumReceive), "typsend": number(enumSend),
		"typacl": r.acl(t.ACL),
	})
	r.arrays(t, common)
}

// arrays adds the type of arrays of one.
func (r userTypes) arrays(t *catalog.Type, common map[string]types.Value) {
	one, array := t.OIDs()
	r.addNamed(common, map[string]types.Value{
		"oid": number(array), "typname": text("_" + t.Name), "typlen": number(-1), "typbyval": boolean(false),
		"typtype": letter('b'), "typcategory": letter('A'), "typelem": number(one), "typstorage": letter('x'),
		"typinput": number(arrayIn), "typoutput": number(arrayOut), "typreceive": number(arrayReceive), "typsend": number(arraySend),
		"typsubscript": number(arraySubscript), "typanalyze": number(arrayAnalyze), "typacl": types.Null,
	})
}

// dependencies are those of the types that users made, and of what has columns of them.
func (r userTypes) dependencies() {
	for _, t := range r.Catalog.Types() {
		one, array := t.OIDs()
		if schema := r.Catalog.Schema(t.Schema); schema != nil {
			r.depends(part{classTypes, uint32(one), 0}, part{classSchemas, schema.ID, 0}, dependsNormal)
		}
		if !t.Shell {
			r.depends(part{classTypes, uint32(array), 0}, part{classTypes, uint32(one), 0}, dependsInternal)
		}
		for _, f := range t.Fields {
			if of, _ := r.Catalog.TypeOf(f.Type.Number()); of != nil || f.Type.OID.IsRow() {
				r.depends(part{classRelations, t.ID, f.ID}, part{classTypes, uint32(f.Type.Number()), 0}, dependsNormal)
			}
		}
		r.rangeDependencies(t)
		if t.Composite {
			r.depends(part{classRelations, t.ID, 0}, part{classTypes, uint32(one), 0}, dependsInternal)
		}
		if t.Domain == nil {
			continue
		}
		if base := t.Domain.Base.Number(); base >= types.FirstObject {
			r.depends(part{classTypes, uint32(one), 0}, part{classTypes, uint32(base), 0}, dependsNormal)
		}
		for _, k := range t.Domain.Checks {
			r.depends(part{classConstraints, k.ID, 0}, part{classTypes, uint32(one), 0}, dependsAuto)
		}
	}
	used := func(relation, column uint32, t types.T) {
		if of, _ := r.Catalog.TypeOf(t.Number()); of != nil || t.OID.IsRow() {
			r.depends(part{classRelations, relation, column}, part{classTypes, uint32(t.Number()), 0}, dependsNormal)
		}
	}
	for _, t := range r.Catalog.Tables() {
		rowDependencies(r, t.ID)
		if t.OfType != 0 {
			r.depends(part{classRelations, t.ID, 0}, part{classTypes, uint32(typeOfRows(t)), 0}, dependsNormal)
		}
		for i := range t.Columns {
			used(t.ID, t.Columns[i].ID, t.Columns[i].Type)
		}
	}
	for _, v := range r.Catalog.Views() {
		rowDependencies(r, v.ID)
		for i, c := range v.Columns {
			used(v.ID, uint32(i+1), c.Type)
		}
	}
	for _, f := range r.Catalog.Functions() {
		functionDependencies(r, f)
	}
}

// rowDependencies are those of the type of a relation's rows, and of that of arrays of them.
func rowDependencies(r userTypes, relation uint32) {
	row, array := catalog.RowType(relation)
	r.depends(part{classTypes, row, 0}, part{classRelations, relation, 0}, dependsInternal)
	r.depends(part{classTypes, array, 0}, part{classTypes, row, 0}, dependsInternal)
}

// functionDependencies are those of a function: its schema, and the types of its parameters and its result.
func functionDependencies(r userTypes, f *catalog.Function) {
	own := part{classFunctions, f.ID, 0}
	if schema := r.Catalog.Schema(f.Schema); schema != nil {
		r.depends(own, part{classSchemas, schema.ID, 0}, dependsNormal)
	}
	seen := map[types.OID]bool{}
	for _, t := range append(parameterTypes(f), f.Result) {
		oid := t.Number()
		if of, _ := r.Catalog.TypeOf(oid); (of != nil || t.OID.IsRow()) && !seen[oid] {
			seen[oid] = true
			r.depends(own, part{classTypes, uint32(oid), 0}, dependsNormal)
		}
	}
}

func parameterTypes(f *catalog.Function) (out []types.T) {
	for _, p := range f.Params {
		out = append(out, p.Type)
	}
	return out
}

func (r userTypes) comments() {
	for _, t := range r.Catalog.Types() {
		one, _ := t.OIDs()
		r.comment(part{classTypes, uint32(one), 0}, t.Comment)
		if t.Domain == nil {
			continue
		}
		for _, k := range t.Domain.Checks {
			r.comment(part{classConstraints, k.ID, 0}, k.Comment)
		}
	}
}

// formOf is how PostgreSQL keeps values of a type.
func (r *Relations) formOf(oid types.OID) form {
	relation, _ := oid.Relation()
	_, enums := oid.Enum()
	ranges, _, _ := oid.UserRange()
	switch {
	case relation != 0:
		return rowForm
	case oid.IsEnum():
		return enumForm
	case enums, ranges != 0:
		return arrayForm
	}
	return r.forms[oid]
}
