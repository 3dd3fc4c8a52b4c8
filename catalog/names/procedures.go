package names

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/catalog/syscat"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/expr/builtin/system"
	"zproxy/sqlerr"
	"zproxy/types"
)

// procedures finds and prints functions for a View.
type procedures struct{ *View }

// visibleProcs are the functions, aggregates and window functions that a dotted name can mean.
func (v procedures) visibleProcs(parts []string) (out []*pgproc.Proc) {
	if len(parts) == 0 || len(parts) > 2 {
		return nil
	}
	name, schemas := parts[len(parts)-1], append([]string{catalog.PgCatalogName}, v.Path...)
	if len(parts) == 2 {
		schemas = []string{meantSchema(v.View, parts[0])}
	}
	for i, schema := range schemas {
		hidden := len(parts) == 1 && strings.HasPrefix(schema, catalog.TemporaryPrefix)
		if hidden || slices.Contains(schemas[:i], schema) {
			continue
		}
		if len(parts) == 2 || i == 0 {
			out = append(out, builtin.ProcsNamed(schema, name)...)
		}
		for _, f := range v.Catalog.FunctionsNamed(schema, name) {
			out = append(out, routine.Proc(f, v.typeText))
		}
		for _, x := range v.Catalog.ExtensionsIn(schema) {
			out = append(out, builtin.ProcsNamed(pg.OfExtension(x.Name), name)...)
		}
	}
	return out
}

// sees says whether the name of a function leads to it.
func (v procedures) sees(f *catalog.Function) bool {
	return slices.ContainsFunc(v.visibleProcs([]string{f.Name}), func(p *pgproc.Proc) bool { return p.OID == f.ID })
}

// typeText is a type as it is printed, which may be that of the rows of a relation.
func (v procedures) typeText(t types.T) string {
	if name := v.rowTypeName(uint32(t.OID)); name != "" {
		return name
	}
	return v.Catalog.Defined(t).String()
}

// procedure finds a function by its number, nil when there is none.
func (v procedures) procedure(oid uint32) *pgproc.Proc {
	if f := v.Catalog.FunctionByID(oid); f != nil {
		return routine.Proc(f, v.typeText)
	}
	return builtin.ProcByOID(oid)
}

// functionNamed finds the only function of a name.
func (v procedures) functionNamed(parts []string) (uint32, error) {
	all, full := v.visibleProcs(parts), strings.Join(parts, ".")
	switch len(all) {
	case 0:
		return 0, sqlerr.New(sqlerr.UndefinedFunction, "function \"%s\" does not exist", full)
	case 1:
		return all[0].OID, nil
	}
	return 0, sqlerr.New(sqlerr.AmbiguousFunction, "more than one function named \"%s\"", full)
}

// procedureNamed finds a function by its name and the types of its arguments.
func (v procedures) procedureNamed(text string) (uint32, error) {
	name, args, err := splitSignature(text)
	if err != nil {
		return 0, err
	}
	parts, err := Split(name)
	if err != nil {
		return 0, err
	}
	for _, p := range v.visibleProcs(parts) {
		if slices.Equal(p.Args, args) {
			return p.OID, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedFunction, "function \"%s\" does not exist", text)
}

// splitSignature takes name(type, type) apart; the type NONE is 0.
func splitSignature(text string) (name string, args []types.OID, err error) {
	name, list, found := strings.Cut(text, "(")
	list, closed := strings.CutSuffix(strings.TrimRight(list, sqlSpace), ")")
	switch {
	case !found:
		return "", nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected a left parenthesis")
	case !closed:
		return "", nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected a right parenthesis")
	}
	if strings.Trim(list, sqlSpace) == "" {
		return name, nil, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		oid := uint32(0)
		if !strings.EqualFold(strings.Trim(word, sqlSpace), "none") {
			if oid, err = typeNamed(word); err != nil {
				return "", nil, err
			}
		}
		args = append(args, types.OID(oid))
	}
	return name, args, nil
}

// procedureName is how regproc and regprocedure print a function, empty when there is none.
func (v procedures) procedureName(oid uint32, kind types.OID) string {
	p := v.procedure(oid)
	if p == nil {
		return ""
	}
	schema := syscat.ProcSchema(v.Catalog, p)
	if schema == "" {
		return ""
	}
	name, args := expr.QuoteIdent(p.Name), ""
	qualified := schema != catalog.PgCatalogName && (schema == p.Schema || !slices.Contains(v.Path, schema))
	if v.Catalog.FunctionByID(oid) != nil {
		qualified = !slices.ContainsFunc(v.visibleProcs([]string{p.Name}),
			func(q *pgproc.Proc) bool { return q.OID == oid })
	}
	if kind == types.OIDRegprocedure {
		args = "(" + v.typeList(p.Args) + ")"
	} else {
		qualified = qualified || len(v.visibleProcs([]string{p.Name})) > 1
	}
	if qualified {
		name = expr.QuoteIdent(schema) + "." + name
	}
	return name + args
}

// typeList are the names of types, NONE for one that there is not.
func (v procedures) typeList(all []types.OID) string {
	list := make([]string, len(all))
	for i, oid := range all {
		list[i] = "NONE"
		if oid != 0 {
			list[i] = v.NameOf(types.OIDRegtype, uint32(oid))
		}
	}
	return strings.Join(list, ",")
}

// visibleOperators are the operators that a name can mean, perhaps with its schema.
func (v procedures) visibleOperators(text string) (out []*pgproc.OperatorRow) {
	name, schemas := strings.Trim(text, sqlSpace), append([]string{catalog.PgCatalogName}, v.Path...)
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		name, schemas = name[at+1:], []string{meantSchema(v.View, strings.Trim(name[:at], `"`))}
	}
	for i, schema := range schemas {
		if slices.Contains(schemas[:i], schema) {
			continue
		}
		if schema == catalog.PgCatalogName {
			out = append(out, pgproc.OperatorsNamed(name)...)
		}
		for _, p := range v.Catalog.PlainsNamed(catalog.OperatorKind, schema, name) {
			out = append(out, syscat.OperatorRow(p))
		}
	}
	return out
}

// operatorNamed finds the only operator of a name.
func (v procedures) operatorNamed(text string) (uint32, error) {
	if text == "0" { // as it prints none
		return 0, nil
	}
	switch all := v.visibleOperators(text); len(all) {
	case 0:
		return 0, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", text)
	case 1:
		return all[0].OID, nil
	}
	return 0, sqlerr.New(sqlerr.AmbiguousFunction, "more than one operator named %s", text)
}

// operatorOf finds an operator by its name and the types of its operands.
func (v procedures) operatorOf(text string) (uint32, error) {
	name, args, err := splitSignature(text)
	switch {
	case err != nil:
		return 0, err
	case len(args) == 1:
		return 0, sqlerr.New(sqlerr.UndefinedParameter, "missing argument").
			WithHint("Use NONE to denote the missing argument of a unary operator.")
	case len(args) != 2:
		return 0, sqlerr.New(sqlerr.TooManyArguments,
			"too many arguments").WithHint("Provide two argument types for operator.")
	}
	for _, o := range v.visibleOperators(name) {
		if o.Left == args[0] && o.Right == args[1] {
			return o.OID, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", text)
}

// operatorName is how regoper and regoperator print an operator, empty when there is none.
func (v procedures) operatorName(oid uint32, kind types.OID) string {
	o, schema := pgproc.OperatorByOID(oid), catalog.PgCatalogName
	if p := v.Catalog.PlainByID(oid); p != nil && p.Operator != nil {
		o, schema = syscat.OperatorRow(p), p.Schema
	}
	if o == nil {
		return ""
	}
	same := v.visibleOperators(o.Name)
	if kind == types.OIDRegoperator {
		same = slices.DeleteFunc(same, func(x *pgproc.OperatorRow) bool {
			return x.Left != o.Left || x.Right != o.Right
		})
	}
	name := o.Name
	if kind == types.OIDRegoperator {
		name += "(" + v.typeList([]types.OID{o.Left, o.Right}) + ")"
	}
	if len(same) == 0 || same[0].OID != oid || kind != types.OIDRegoperator && len(same) > 1 {
		return expr.QuoteIdent(schema) + "." + name
	}
	return name
}

// operator is what is said of an operator, nil when there is none.
func (v procedures) operator(oid uint32) *system.Object {
	if p := v.Catalog.PlainByID(oid); p != nil && p.Operator != nil {
		visible := v.operatorName(oid, types.OIDRegoperator)
		return &system.Object{Name: p.Name, Schema: p.Schema, Comment: p.Comment,
			Visible: !strings.Contains(visible, "."+p.Name+"(")}
	}
	if op := pgproc.OperatorByOID(oid); op != nil {
		return &system.Object{Name: op.Name, Schema: catalog.PgCatalogName, Visible: true, Comment: op.Comment}
	}
	return nil
}
