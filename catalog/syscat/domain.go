package syscat

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// The functions of domains, as pg_proc has them.
const domainIn, domainReceive = 2597, 2598

// domain is what pg_type says of a domain besides what it says of any type of a user: how its values are kept and
// printed is a matter of what it is over.
func (r userTypes) domain(t *catalog.Type) map[string]types.Value {
	_, array := t.OIDs()
	base := t.Domain.Base
	out := r.formed(base)
	out["typname"], out["typtype"], out["typarray"] = text(t.Name), letter('d'), number(uint32(0))
	if _, ok := types.ArrayOf(base.Base()); ok {
		out["typarray"] = number(array)
	}
	out["typinput"], out["typreceive"] = number(domainIn), number(domainReceive)
	out["typbasetype"], out["typtypmod"] = number(base.Number()), number(base.Mod)
	if base.IsDomain() {
		out["typtypmod"] = number(-1)
	}
	out["typnotnull"], out["typacl"] = boolean(t.Domain.NotNull), r.acl(t.ACL)
	if types.InfoOf(base.OID).Category == types.CategoryArray && base.Domain == nil {
		out["typndims"] = number(1)
	}
	if t.Domain.Default != "" {
		one, _ := t.OIDs()
		written := t.Domain.Default
		if o := r.object("pg_type", uint32(one)); o != nil && o.Definition != nil {
			written = o.Definition(system.Layout{})
		}
		out["typdefault"], out["typdefaultbin"] = text(written), text(written)
	}
	return out
}

// formed is how PostgreSQL keeps and prints the values of a type.
func (r userTypes) formed(t types.T) map[string]types.Value {
	out := map[string]types.Value{}
	names := r.names()
	for _, row := range r.recorded {
		if types.OID(row[0].Int()) != t.OID {
			continue
		}
		for _, name := range []string{"typlen", "typbyval", "typalign", "typstorage", "typcategory", "typoutput",
			"typsend", "typcollation", "typdelim", "typanalyze"} {
			out[name] = row[slices.Index(names, name)]
		}
		if t.Collation.OID != 0 {
			out["typcollation"] = number(t.Collation.OID)
		}
		return out
	}
	info, form := types.InfoOf(t.OID), r.relations.formOf(t.OID)
	output, send := uint32(arrayOut), uint32(arraySend)
	switch {
	case info.Kind == types.KindRange:
		if output, send = rangeOut, rangeSend; t.Range() != nil && t.OID == t.Range().Multirange {
			output, send = multirangeOut, multirangeSend
		}
	case info.Kind == types.KindEnum:
		output, send = enumOut, enumSend
	case info.Kind == types.KindRecord:
		output, send = recordOut, recordSend
	}
	out["typlen"], out["typbyval"], out["typalign"] = number(form.length), boolean(form.byValue), text(form.align)
	out["typstorage"], out["typcategory"] = text(form.storage), letter(byte(info.Category))
	out["typoutput"], out["typsend"] = number(output), number(send)
	return out
}

// domainConstraints are the rows of pg_constraint for the checks of domains.
func domainConstraints(r *rows) {
	if !r.wants(0) {
		return
	}
	for _, t := range r.Catalog.Types() {
		schema := r.Catalog.Schema(t.Schema)
		if t.Domain == nil || schema == nil {
			continue
		}
		one, _ := t.OIDs()
		for i := range t.Domain.Checks {
			k := &t.Domain.Checks[i]
			addConstraint(r, constraint{id: k.ID, name: k.Name, kind: 'c', check: k, domain: one}, schema.ID, 0)
		}
	}
}
