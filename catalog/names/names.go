package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// oidOfCatalog is that of the schema pg_catalog.
const oidOfCatalog = 11

// OIDOf implements types.Names.
func (v *View) OIDOf(kind types.OID, text string) (uint32, error) {
	switch kind {
	case types.OIDRegtype:
		return v.typeNamed(text)
	case types.OIDRegprocedure:
		return procedures{v}.procedureNamed(text)
	case types.OIDRegoper:
		return procedures{v}.operatorNamed(text)
	case types.OIDRegoperator:
		return procedures{v}.operatorOf(text)
	}
	parts, err := Split(text)
	if err != nil {
		return 0, err
	}
	switch kind {
	case types.OIDRegclass:
		return v.Relation(parts)
	case types.OIDRegproc:
		return procedures{v}.functionNamed(parts)
	case types.OIDRegnamespace:
		return v.schema(parts)
	case types.OIDRegconfig, types.OIDRegdict:
		return searchObject(v, kind, parts)
	default:
		return v.role(parts)
	}
}

// NameOf implements types.Names.
func (v *View) NameOf(kind types.OID, oid uint32) string {
	switch kind {
	case types.OIDRegclass:
		return v.relationName(oid)
	case types.OIDRegtype:
		if info := types.InfoOf(types.OID(oid)); info.OID == types.OID(oid) {
			return extensionPrefix(v, info) + info.SQL
		}
		if name := v.System.Known("pg_type", oid); name != "" {
			return expr.QuoteIdent(name)
		}
		if t, array := v.Catalog.TypeOf(types.OID(oid)); t != nil {
			return userTypeName(t, array, userType(v, []string{t.Name}) == t)
		}
		return v.rowTypeName(oid)
	case types.OIDRegproc, types.OIDRegprocedure:
		return procedures{v}.procedureName(oid, kind)
	case types.OIDRegoper, types.OIDRegoperator:
		return procedures{v}.operatorName(oid, kind)
	case types.OIDRegnamespace:
		return v.schemaName(oid)
	case types.OIDRegconfig, types.OIDRegdict:
		return expr.QuoteIdent(v.System.Known(searchClasses[kind].class, oid))
	case types.OIDRegrole:
		if name := RoleName(v.Catalog, oid, v.Bootstrap); name != "" {
			return expr.QuoteIdent(name)
		}
	}
	return ""
}

// Split takes a dotted name apart, as PostgreSQL's SplitIdentifierString does:
// parts in double quotes stay as they are, others fall to lower case.
func Split(text string) (parts []string, err error) {
	parts, ok := split(text, ".")
	if !ok {
		return nil, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	}
	return parts, nil
}

// SplitList takes names from one another that stand between commas, likewise. An empty text has none.
func SplitList(text string) (all []string, ok bool) {
	if strings.Trim(text, sqlSpace) == "" {
		return nil, true
	}
	return split(text, ",")
}

func split(text, separator string) (parts []string, ok bool) {
	rest := strings.Trim(text, sqlSpace)
	for {
		part, after, ok := cutIdent(rest, separator)
		if !ok {
			return nil, false
		}
		parts = append(parts, types.CutName(part))
		rest = strings.TrimLeft(after, sqlSpace)
		if rest == "" {
			return parts, true
		}
		if rest, ok = strings.CutPrefix(rest, separator); !ok {
			return nil, false
		}
		rest = strings.TrimLeft(rest, sqlSpace)
	}
}

const sqlSpace = " \t\n\r\f"

// cutIdent reads one identifier from the start of a text, before a separator.
func cutIdent(s, separator string) (ident, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, separator+sqlSpace)
		if end < 0 {
			end = len(s)
		}
		return strings.ToLower(s[:end]), s[end:], end > 0
	}
	var out strings.Builder
	for s = s[1:]; ; s = s[1:] {
		before, after, found := strings.Cut(s, `"`)
		if !found {
			return "", "", false
		}
		out.WriteString(before)
		if s = after; !strings.HasPrefix(s, `"`) {
			return out.String(), s, true
		}
		out.WriteByte('"')
	}
}

// Relation finds a table or an index, along search_path if the name has no schema.
func (v *View) Relation(parts []string) (uint32, error) {
	if len(parts) > 3 {
		return 0, sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s",
			strings.Join(parts, "."))
	}
	if len(parts) == 3 && parts[0] != v.Database {
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s\"",
			strings.Join(parts, "."))
	}
	path, name := pathOf(v, parts)
	if len(parts) > 1 {
		if schema := v.Catalog.Schema(path[0]); schema != nil && !v.Catalog.MayUse(v.As, schema) {
			return 0, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for schema %s", schema.Name)
		}
	}
	for _, schema := range path {
		if r := v.Catalog.Relation(schema, name); r != nil {
			return r.Ref().ID, nil
		}
		if t := v.Catalog.TypeNamed(schema, name); t != nil && t.Composite {
			return t.ID, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" does not exist",
		strings.Join(parts[max(0, len(parts)-2):], "."))
}

// relationName qualifies a name with its schema where search_path does not lead to it.
func (v *View) relationName(oid uint32) string {
	ref, ok := v.byOID(oid)
	if !ok {
		return ""
	}
	if visible, err := v.Relation([]string{ref.Name}); err == nil && visible == oid {
		return expr.QuoteIdent(ref.Name)
	}
	return expr.QuoteIdent(ref.Schema) + "." + expr.QuoteIdent(ref.Name)
}

func (v *View) byOID(oid uint32) (ref catalog.Ref, ok bool) {
	if r := v.Catalog.Numbered(oid); r != nil {
		return r.Ref(), true
	}
	if t := compositeType(v, oid); t != nil {
		return t.Ref(), true
	}
	return ref, false
}

// longestType bounds the text of a type in bytes: names, a modifier and brackets are far shorter.
const longestType = 16 << 10

// typeNamed reads the text as the grammar reads the type of a cast.
func typeNamed(text string) (uint32, error) {
	if len(text) > longestType {
		return 0, sqlerr.New(sqlerr.UndefinedObject, "type \"%s\" does not exist", types.CutName(text))
	}
	depth, outside := 0, false
	for _, c := range []byte(text) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		outside = outside || depth < 0
	}
	tree, err := parser.Expression("CAST(NULL AS " + text + ")")
	cast, ok := tree.(*ast.Cast)
	if err != nil && !outside && strings.Trim(text, sqlSpace) != "" {
		return 0, withoutPosition(err)
	}
	if !ok || outside {
		return 0, sqlerr.New(sqlerr.SyntaxError, "invalid type name \"%s\"", text)
	}
	t, err := bind.TypeOf(cast.Type)
	return uint32(t.OID), withoutPosition(err)
}

// typeNamed is a type of a user, too, that of the rows of a relation, or that of the arrays of one of them, whose name
// begins with an underscore.
func (v *View) typeNamed(text string) (uint32, error) {
	oid, err := typeNamed(text)
	if err == nil {
		return oid, nil
	}
	name, isArray := strings.CutSuffix(text, "[]")
	parts, invalid := Split(name)
	if invalid != nil {
		return 0, err
	}
	if oid, err = typeOf(v, parts, isArray, err); err == nil {
		return oid, nil
	}
	last := &parts[len(parts)-1]
	if element, is := strings.CutPrefix(*last, "_"); is && !isArray {
		*last = element
		return typeOf(v, parts, true, err)
	}
	return 0, err
}

// typeOf finds a type that is not in pg_catalog, or the arrays of one.
func typeOf(v *View, parts []string, isArray bool, err error) (uint32, error) {
	if info := extensionType(v, parts); info != nil {
		if isArray {
			return uint32(info.Array), nil
		}
		return uint32(info.OID), nil
	}
	if t := userType(v, parts); t != nil {
		if t.Shell && isArray {
			return 0, err
		}
		if err := t.Usable(strings.Join(parts, ".")); err != nil {
			return 0, err
		}
		one, array := t.OIDs()
		if isArray {
			one = array
		}
		return uint32(one), nil
	}
	if len(parts) == 1 || len(parts) == 2 && parts[0] == catalog.PgCatalogName {
		if id := v.System.KnownOID("pg_type", parts[len(parts)-1]); id != 0 && !isArray {
			return id, nil
		}
	}
	relation, missing := v.Relation(parts)
	if missing != nil {
		return 0, err
	}
	row, array := catalog.RowType(relation)
	switch r, _ := v.Catalog.RowTypeOf(row); {
	case r == nil:
		return 0, err
	case isArray:
		return array, nil
	}
	return row, nil
}

// rowTypeName is how the type of a relation's rows prints.
func (v *View) rowTypeName(oid uint32) string {
	r, array := v.Catalog.RowTypeOf(oid)
	if r == nil {
		return ""
	}
	name := v.relationName(r.Ref().ID)
	if array {
		name += "[]"
	}
	return name
}

// withoutPosition is for an error whose place is one in the text of a name, not of the
// statement.
func withoutPosition(err error) error {
	if err == nil {
		return nil
	}
	e := *sqlerr.From(err)
	e.Position = 0
	return &e
}

func (v *View) schema(parts []string) (uint32, error) {
	if len(parts) > 1 {
		return 0, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	}
	if schema := v.Catalog.Schema(parts[0]); schema != nil {
		return schema.ID, nil
	}
	if parts[0] == "pg_catalog" {
		return oidOfCatalog, nil
	}
	return 0, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", parts[0])
}

func (v *View) schemaName(oid uint32) string {
	if oid == oidOfCatalog {
		return "pg_catalog"
	}
	if schema := v.Catalog.SchemaByID(oid); schema != nil {
		return expr.QuoteIdent(schema.Name)
	}
	return ""
}

func (v *View) role(parts []string) (uint32, error) {
	if len(parts) > 1 {
		return 0, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	}
	r := RoleNamed(v.Catalog, parts[0], v.Bootstrap)
	if r == nil {
		return 0, NoRole(parts[0])
	}
	return r.ID, nil
}
