package session

import (
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// oidOfCatalog is that of the schema pg_catalog.
const oidOfCatalog = 11

// names finds the objects that the types of the reg family name, as the transaction sees
// them.
type names struct{ s *Session }

// OIDOf implements types.Names.
func (n names) OIDOf(kind types.OID, text string) (uint32, error) {
	switch kind {
	case types.OIDRegtype:
		return n.typeNamed(text)
	case types.OIDRegprocedure:
		return procedureNamed(text)
	case types.OIDRegoper:
		return operatorNamed(text)
	case types.OIDRegoperator:
		return operatorOf(text)
	}
	parts, err := splitName(text)
	if err != nil {
		return 0, err
	}
	switch kind {
	case types.OIDRegclass:
		return n.relation(parts)
	case types.OIDRegproc:
		return functionNamed(parts)
	case types.OIDRegnamespace:
		return n.schema(parts)
	default:
		return n.role(parts)
	}
}

// NameOf implements types.Names.
func (n names) NameOf(kind types.OID, oid uint32) string {
	switch kind {
	case types.OIDRegclass:
		return n.relationName(oid)
	case types.OIDRegtype:
		if info := types.InfoOf(types.OID(oid)); info.OID == types.OID(oid) {
			return info.SQL
		}
		if name := n.s.db.relations.Known("pg_type", oid); name != "" {
			return expr.QuoteIdent(name)
		}
		return n.rowTypeName(oid)
	case types.OIDRegproc, types.OIDRegprocedure:
		return procedureName(oid, kind)
	case types.OIDRegoper, types.OIDRegoperator:
		return operatorName(oid, kind)
	case types.OIDRegnamespace:
		return n.schemaName(oid)
	case types.OIDRegrole:
		if name := n.s.roleName(n.s.schema(), oid); name != "" {
			return expr.QuoteIdent(name)
		}
	}
	return ""
}

// splitName takes a dotted name apart, as PostgreSQL's SplitIdentifierString does:
// parts in double quotes stay as they are, others fall to lower case.
func splitName(text string) (parts []string, err error) {
	invalid := sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	rest := strings.Trim(text, sqlSpace)
	for {
		part, after, ok := cutIdent(rest)
		if !ok {
			return nil, invalid
		}
		parts = append(parts, types.CutName(part))
		rest = strings.TrimLeft(after, sqlSpace)
		if rest == "" {
			return parts, nil
		}
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return nil, invalid
		}
		rest = strings.TrimLeft(rest, sqlSpace)
	}
}

const sqlSpace = " \t\n\r\f"

// cutIdent reads one identifier from the start of a text.
func cutIdent(s string) (ident, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, "."+sqlSpace)
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

// relation finds a table or an index, along search_path if the name has no schema.
func (n names) relation(parts []string) (uint32, error) {
	if len(parts) > 3 {
		return 0, sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(parts, "."))
	}
	if len(parts) == 3 && parts[0] != n.s.database {
		return 0, sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s\"", strings.Join(parts, "."))
	}
	snap := n.s.schema()
	path, name := n.s.path(snap), parts[len(parts)-1]
	if len(parts) > 1 {
		path = parts[len(parts)-2 : len(parts)-1]
		if schema := snap.Schema(path[0]); schema != nil && !mayUse(snap, n.s.role(), schema) {
			return 0, denied("permission denied for schema %s", schema.Name)
		}
	}
	for _, schema := range path {
		if r := snap.Relation(schema, name); r != nil {
			return r.Ref().ID, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(parts[max(0, len(parts)-2):], "."))
}

// changeable finds a relation that a statement wants to change.
func (s *Session) changeable(snap *catalog.Snapshot, n ast.Name) (catalog.Relation, error) {
	r, err := s.planner(snap).Relation(n)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", planner.Dotted(n))
	case *catalog.Virtual:
		return nil, planner.SystemRelation(r)
	default:
		return r, unambiguous(snap, r)
	}
}

// relationName qualifies a name with its schema where search_path does not lead to it.
func (n names) relationName(oid uint32) string {
	ref, ok := n.byOID(oid)
	if !ok {
		return ""
	}
	if visible, err := n.relation([]string{ref.Name}); err == nil && visible == oid {
		return expr.QuoteIdent(ref.Name)
	}
	return expr.QuoteIdent(ref.Schema) + "." + expr.QuoteIdent(ref.Name)
}

func (n names) byOID(oid uint32) (ref catalog.Ref, ok bool) {
	if r := n.s.schema().Numbered(oid); r != nil {
		return r.Ref(), true
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
	tree, err := parseExpr("CAST(NULL AS " + text + ")")
	cast, ok := tree.(*ast.Cast)
	if err != nil && !outside && strings.Trim(text, sqlSpace) != "" {
		return 0, withoutPosition(err)
	}
	if !ok || outside {
		return 0, sqlerr.New(sqlerr.SyntaxError, "invalid type name \"%s\"", text)
	}
	t, err := planner.TypeOf(cast.Type)
	return uint32(t.OID), withoutPosition(err)
}

// typeNamed is that of the rows of a relation, too.
func (n names) typeNamed(text string) (uint32, error) {
	oid, err := typeNamed(text)
	if err == nil {
		return oid, nil
	}
	name, isArray := strings.CutSuffix(text, "[]")
	parts, invalid := splitName(name)
	if invalid != nil {
		return 0, err
	}
	if len(parts) == 1 || len(parts) == 2 && parts[0] == catalog.PgCatalogName {
		if id := n.s.db.relations.KnownOID("pg_type", parts[len(parts)-1]); id != 0 && !isArray {
			return id, nil
		}
	}
	relation, missing := n.relation(parts)
	if missing != nil {
		return 0, err
	}
	row, array := catalog.RowType(relation)
	switch r, _ := n.s.schema().RowTypeOf(row); {
	case r == nil:
		return 0, err
	case isArray:
		return array, nil
	}
	return row, nil
}

// rowTypeName is how the type of a relation's rows prints.
func (n names) rowTypeName(oid uint32) string {
	r, array := n.s.schema().RowTypeOf(oid)
	if r == nil {
		return ""
	}
	name := n.relationName(r.Ref().ID)
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

func (n names) schema(parts []string) (uint32, error) {
	if len(parts) > 1 {
		return 0, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	}
	if schema := n.s.schema().Schema(parts[0]); schema != nil {
		return schema.ID, nil
	}
	if parts[0] == "pg_catalog" {
		return oidOfCatalog, nil
	}
	return 0, sqlerr.New(sqlerr.InvalidSchemaName, "schema \"%s\" does not exist", parts[0])
}

func (n names) schemaName(oid uint32) string {
	if oid == oidOfCatalog {
		return "pg_catalog"
	}
	for _, schema := range n.s.schema().Schemas() {
		if schema.ID == oid {
			return expr.QuoteIdent(schema.Name)
		}
	}
	return ""
}

func (n names) role(parts []string) (uint32, error) {
	if len(parts) > 1 {
		return 0, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	}
	r := n.s.roleNamed(n.s.schema(), parts[0])
	if r == nil {
		return 0, noRoleNamed(parts[0])
	}
	return r.ID, nil
}
