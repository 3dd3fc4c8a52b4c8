package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// converter turns one statement of PostgreSQL's grammar into ast. Like bufio.Writer it
// keeps the first error and goes on, so a node is converted in one expression; no caller may
// look into a result before err is checked.
//
// Every field that the grammar can set is converted or refused. A test sets each field of
// each node and requires that the result changes.
type converter struct {
	base   int
	lifted lifted
	hints  *hints
	// version of the grammar, which the C library wants to see again.
	version int32
	into    *pg.IntoClause // the one that a SELECT may have here
	params  int
	inert   []ast.Clause // that may change nothing
	notices []ast.Notice
	foreign bool // columns may have OPTIONS
	err     error
	watch   *watch
	done    int // expressions that were converted
}

// fail keeps the first error.
func (c *converter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// refuse fails when the statement has something that ast cannot say.
func (c *converter) refuse(has bool, at proto.Message, what string) {
	if has && c.err == nil {
		c.fail(sqlerr.Unsupported("%s", what).At(int(c.position(at))))
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
	if f := m.Descriptor().Fields().ByName("location"); f != nil && f.Kind() == protoreflect.Int32Kind &&
		m.Get(f).Int() >= 0 {
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

// names are the strings of a list of names.
func names(list []*pg.Node) []string {
	var out []string
	for _, n := range list {
		out = append(out, n.GetString_().GetSval())
	}
	return out
}
