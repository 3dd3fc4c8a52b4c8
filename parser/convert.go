package parser

import (
	"strings"
	"unicode"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// converter turns one statement of PostgreSQL's grammar into ast. Like bufio.Writer it
// keeps the first error and goes on, so a node is converted in one expression; nobody may
// look into a result before err is checked.
//
// Every field that the grammar can set is converted or refused. A test sets each field of
// each node and requires that the result changes.
type converter struct {
	base   int
	source source // the statement alone
	lifted lifted
	hints  *hints
	// version of the grammar, which the C library wants to see again.
	version int32
	into    *pg.IntoClause // the one that a SELECT may have here
	params  int
	err     error
}

// fail keeps the first error.
func (c *converter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// refuse fails when the statement has something that ast cannot say.
func (c *converter) refuse(has bool, at proto.Message, thing string) {
	if has && c.err == nil {
		c.fail(sqlerr.Unsupported("%s", thing).At(int(c.position(at))))
	}
}

// at is the position of a location in the text that was sent.
func (c *converter) at(location int32) ast.Pos {
	if location < 0 {
		return -1
	}
	return ast.Pos(c.base + int(location))
}

// position is the first location in a tree. Only errors are slow enough to ask it.
func (c *converter) position(m proto.Message) ast.Pos {
	if m == nil || !m.ProtoReflect().IsValid() {
		return -1
	}
	return c.at(firstLocation(m.ProtoReflect()))
}

func firstLocation(m protoreflect.Message) int32 {
	if f := m.Descriptor().Fields().ByName("location"); f != nil && m.Get(f).Int() >= 0 {
		return int32(m.Get(f).Int())
	}
	first := int32(-1)
	visit := func(v protoreflect.Value) {
		if at := firstLocation(v.Message()); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				visit(v.List().Get(i))
			}
		default:
			visit(v)
		}
		return true
	})
	return first
}

// unknown refuses a node by the name that its kind has in SQL.
func (c *converter) unknown(n *pg.Node) {
	m := n.ProtoReflect()
	f := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
	if f == nil {
		c.refuse(true, n, "an empty expression")
		return
	}
	kind := string(f.Message().Name())
	if name, ok := kindNames()[kind]; ok {
		c.refuse(true, n, name)
		return
	}
	c.refuse(true, n, words(strings.TrimSuffix(strings.TrimSuffix(kind, "Stmt"), "Expr")))
}

// words is a name in camel case as SQL words: AlterTable is ALTER TABLE.
func words(camel string) string {
	var b strings.Builder
	for i, r := range camel {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// kindNames are the nodes whose own name is not what a user wrote.
func kindNames() map[string]string {
	return map[string]string{
		"CheckPointStmt":     "CHECKPOINT",
		"CompositeTypeStmt":  "CREATE TYPE",
		"CreateEnumStmt":     "CREATE TYPE",
		"CreateRangeStmt":    "CREATE TYPE",
		"CreateTrigStmt":     "CREATE TRIGGER",
		"CreatedbStmt":       "CREATE DATABASE",
		"DefineStmt":         "CREATE of this kind",
		"DropdbStmt":         "DROP DATABASE",
		"GroupingFunc":       "GROUPING",
		"RangeTableSample":   "TABLESAMPLE",
		"JsonIsPredicate":    "IS JSON",
		"RefreshMatViewStmt": "REFRESH MATERIALIZED VIEW",
		"RuleStmt":           "CREATE RULE",
		"TableLikeClause":    "LIKE in CREATE TABLE",
	}
}

// names are the strings of a list of names.
func names(list []*pg.Node) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.GetString_().GetSval())
	}
	return out
}
