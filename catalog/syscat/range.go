package syscat

import (
	"zproxy/catalog"
	"zproxy/types"
)

// classCasts is the catalog of casts.
const classCasts = 2605

// The functions of ranges and of multiranges, as pg_proc has them.
const (
	rangeIn, rangeOut, rangeReceive, rangeSend, rangeAnalyze                          = 3834, 3835, 3836, 3837, 3916
	multirangeIn, multirangeOut, multirangeReceive, multirangeSend, multirangeAnalyze = 4231, 4232, 4233, 4234, 4242
)

// ranges are the rows of pg_range.
func ranges(r *rows) {
	addStatic(r)
	for _, t := range r.Catalog.Types() {
		one, _ := t.OIDs()
		if t.Range == nil || !r.wants(uint32(one)) {
			continue
		}
		several, _ := types.MultirangeOID(t.ID)
		r.addNamed(map[string]types.Value{
			"rngtypid": number(one), "rngsubtype": number(t.Range.Subtype.Number()), "rngmultitypid": number(several),
			"rngcollation": number(t.Range.Collation), "rngcanonical": number(uint32(0)), "rngsubdiff": number(t.Range.Diff),
			"rngsubopc": number(r.relations.operatorClass(catalog.BTree, t.Range.Class, t.Range.Subtype)),
		})
	}
}

// rangeType adds a type of ranges or of multiranges, whose values are aligned as bounds are.
func (r userTypes) rangeType(t *catalog.Type, common map[string]types.Value) {
	one, array := t.OIDs()
	own := map[string]types.Value{
		"oid": number(one), "typname": text(t.Name), "typtype": letter('r'), "typcategory": letter('R'),
		"typarray": number(array), "typlen": number(-1), "typbyval": boolean(false), "typstorage": letter('x'),
		"typinput": number(rangeIn), "typoutput": number(rangeOut), "typreceive": number(rangeReceive),
		"typsend": number(rangeSend), "typanalyze": number(rangeAnalyze), "typacl": r.acl(t.ACL),
	}
	of := t
	if t.RangeOf != 0 {
		of = r.Catalog.TypeByID(t.RangeOf)
		own["typtype"], own["typinput"], own["typoutput"] = letter('m'), number(multirangeIn), number(multirangeOut)
		own["typreceive"], own["typsend"] = number(multirangeReceive), number(multirangeSend)
		own["typanalyze"] = number(multirangeAnalyze)
	}
	if align := r.formed(of.Range.Subtype)["typalign"]; align.Text() == "d" {
		common["typalign"] = align
	}
	r.addNamed(common, own)
	r.arrays(t, common)
}

// rangeDependencies are those between a type of ranges, what it is over, and what was made with it.
func (r userTypes) rangeDependencies(t *catalog.Type) {
	one, _ := t.OIDs()
	own := part{classTypes, uint32(one), 0}
	if t.RangeOf != 0 {
		ranges, _ := types.RangeOID(t.RangeOf)
		r.depends(own, part{classTypes, uint32(ranges), 0}, dependsInternal)
	}
	if t.Range == nil {
		return
	}
	if subtype := t.Range.Subtype.Number(); subtype >= types.FirstObject {
		r.depends(own, part{classTypes, uint32(subtype), 0}, dependsNormal)
	}
	if r.Catalog.FunctionByID(t.Range.Diff) != nil {
		r.depends(own, part{classFunctions, t.Range.Diff, 0}, dependsNormal)
	}
	for _, id := range t.Range.Constructors {
		if f := r.Catalog.FunctionByID(id); f != nil {
			r.depends(part{classFunctions, id, 0}, part{classTypes, uint32(f.Result.OID), 0}, dependsInternal)
		}
	}
	several, _ := types.MultirangeOID(t.ID)
	cast := part{classCasts, t.Range.Cast, 0}
	r.depends(cast, own, dependsInternal)
	r.depends(cast, part{classTypes, uint32(several), 0}, dependsInternal)
	r.depends(cast, part{classFunctions, t.Range.ToMultirange(), 0}, dependsInternal)
}

// rangeCasts are the casts of ranges of users to their multiranges.
func rangeCasts(r *rows) {
	for _, t := range r.Catalog.Types() {
		if t.Range == nil || !r.wants(t.Range.Cast) {
			continue
		}
		one, _ := t.OIDs()
		several, _ := types.MultirangeOID(t.ID)
		r.add(number(t.Range.Cast), number(one), number(several), number(t.Range.ToMultirange()), letter('e'),
			letter('f'))
	}
}
