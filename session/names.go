package session

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// The OIDs of PostgreSQL's that do not come from zproxy's catalog.
const (
	oidOfCatalog = 11 // the schema pg_catalog
	oidOfUser    = 10
)

// names finds the objects that the types of the reg family name, as the transaction sees
// them.
type names struct{ s *Session }

// OIDOf implements types.Names.
func (n names) OIDOf(kind types.OID, text string) (uint32, error) {
	switch kind {
	case types.OIDRegtype:
		return typeNamed(text)
	case types.OIDRegprocedure:
		return procedureNamed(text)
	case types.OIDRegoper, types.OIDRegoperator:
		return 0, sqlerr.Unsupported("the name of an operator as %s", types.InfoOf(kind).Name)
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
	case types.OIDRegproc, types.OIDRegprocedure:
		if f := expr.FunctionByOID(oid); f != nil {
			return functionName(f, kind)
		}
	case types.OIDRegnamespace:
		return n.schemaName(oid)
	case types.OIDRegrole:
		if oid == oidOfUser {
			return expr.QuoteIdent(n.s.user)
		}
	}
	return ""
}

func functionName(f *expr.Function, kind types.OID) string {
	if kind == types.OIDRegprocedure {
		args := make([]string, len(f.Args))
		for i, arg := range f.Args {
			args[i] = types.InfoOf(arg).SQL
		}
		return expr.QuoteIdent(f.Name) + "(" + strings.Join(args, ",") + ")"
	}
	if len(expr.Functions(f.Name)) > 1 {
		return "pg_catalog." + expr.QuoteIdent(f.Name)
	}
	return expr.QuoteIdent(f.Name)
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
	}
	for _, schema := range path {
		if r := snap.Relation(schema, name); r != nil {
			return r.Ref().ID, nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedTable, "relation \"%s\" does not exist", strings.Join(parts[max(0, len(parts)-2):], "."))
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

// typeNamed reads the text as the grammar reads the type of a cast.
func typeNamed(text string) (uint32, error) {
	depth, outside := 0, false
	for _, c := range text {
		depth += map[rune]int{'(': 1, ')': -1}[c]
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

// functionNamed finds the only function of a name.
func functionNamed(parts []string) (uint32, error) {
	name, full := parts[len(parts)-1], strings.Join(parts, ".")
	var all []*expr.Function
	if len(parts) == 1 || len(parts) == 2 && parts[0] == "pg_catalog" {
		all = expr.Functions(name)
	}
	switch len(all) {
	case 0:
		return 0, sqlerr.New(sqlerr.UndefinedFunction, "function \"%s\" does not exist", full)
	case 1:
		return all[0].OID(), nil
	}
	return 0, sqlerr.New(sqlerr.AmbiguousFunction, "more than one function named \"%s\"", full)
}

// procedureNamed finds a function by its name and the types of its arguments.
func procedureNamed(text string) (uint32, error) {
	name, list, found := strings.Cut(text, "(")
	list, closed := strings.CutSuffix(strings.TrimRight(list, sqlSpace), ")")
	switch {
	case !found:
		return 0, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected a left parenthesis")
	case !closed:
		return 0, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected a right parenthesis")
	}
	parts, err := splitName(name)
	if err != nil {
		return 0, err
	}
	var args []types.OID
	if strings.Trim(list, sqlSpace) != "" {
		for word := range strings.SplitSeq(list, ",") {
			oid, err := typeNamed(word)
			if err != nil {
				return 0, err
			}
			args = append(args, types.OID(oid))
		}
	}
	for _, f := range expr.Functions(parts[len(parts)-1]) {
		if slices.Equal(f.Args, args) {
			return f.OID(), nil
		}
	}
	return 0, sqlerr.New(sqlerr.UndefinedFunction, "function \"%s\" does not exist", text)
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
	switch {
	case len(parts) > 1:
		return 0, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	case parts[0] != n.s.user:
		return 0, sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", parts[0])
	}
	return oidOfUser, nil
}
