package parser

import (
	"errors"
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"zproxy/sqlerr"
)

// deparse is the text of a query that the catalog keeps, without its hints. It is read once here, so that nothing is
// kept that cannot be read later, or that would then mean something else.
func (c *converter) deparse(query *pg.Node) string {
	text, err := within(c.watch, proto.Size(query), func(w *watch) (string, error) {
		marked, mark := proto.CloneOf(query), unused(query)
		markOperands(marked.ProtoReflect(), mark)
		text, err := pg.Deparse(&pg.ParseResult{Version: c.version, Stmts: []*pg.RawStmt{{Stmt: marked}}})
		text = strings.ReplaceAll(text, mark+"(", "(")
		if err == nil && !means(text, query, w) {
			err = errMeaning
		}
		return text, err
	})
	if err != nil {
		c.fail(sqlerr.Unsupported("keeping the text of this definition"))
	}
	return text
}

// errMeaning is of a text that would be read as another query.
var errMeaning = errors.New("the text has another meaning")

// unused is a name that a query has nowhere.
func unused(query *pg.Node) string {
	tree := strings.ToLower(query.String())
	for i := 0; ; i++ {
		if name := fmt.Sprintf("operand%d", i); !strings.Contains(tree, name) {
			return name
		}
	}
}

// means says whether a text is read as the tree of a query.
func means(text string, query *pg.Node, w *watch) bool {
	if guard(text, w) != nil {
		return false
	}
	tree, refused := postgres(text, w)
	return refused == nil && len(tree.GetStmts()) == 1 &&
		proto.Equal(unplaced(tree.GetStmts()[0].GetStmt()), unplaced(query))
}

// unplaced is a copy of a tree without the positions of its nodes.
func unplaced(tree *pg.Node) *pg.Node {
	out := proto.CloneOf(tree)
	removeLocations(out.ProtoReflect())
	return out
}

func removeLocations(m protoreflect.Message) {
	children(m, removeLocations)
	m.Range(func(field protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if strings.HasSuffix(string(field.Name()), "location") {
			m.Clear(field)
		}
		return true
	})
}

// children calls f for the messages in a message.
func children(m protoreflect.Message, f func(protoreflect.Message)) {
	m.Range(func(field protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range v.List().Len() {
				f(v.List().Get(i).Message())
			}
		default:
			f(v.Message())
		}
		return true
	})
}

// deparseExpr is the text of an expression that the catalog keeps.
func (c *converter) deparseExpr(e *pg.Node) string {
	target := &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: e}}}
	query := &pg.SelectStmt{
		TargetList:  []*pg.Node{target},
		Op:          pg.SetOperation_SETOP_NONE,
		LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT,
	}
	return strings.TrimPrefix(c.deparse(&pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: query}}), "SELECT ")
}
