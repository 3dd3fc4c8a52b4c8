package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/types"
)

// operators converts the statements about operators alone.
type operators struct{ *converter }

func (c operators) convert(node *pg.Node) ast.Statement {
	if n, ok := node.GetNode().(*pg.Node_AlterOperatorStmt); ok {
		of := routines(c).signature(n.AlterOperatorStmt.Opername)
		return &ast.Operators{Name: of.Name, Of: &of, Options: aggregates(c).options(n.AlterOperatorStmt.Options)}
	}
	if n, ok := node.GetNode().(*pg.Node_CreateCastStmt); ok {
		return c.cast(n.CreateCastStmt)
	}
	return collations(c).convert(node)
}

var castContexts = map[pg.CoercionContext]types.CastContext{
	pg.CoercionContext_COERCION_IMPLICIT: types.Implicit, pg.CoercionContext_COERCION_ASSIGNMENT: types.Assignment,
	pg.CoercionContext_COERCION_EXPLICIT: types.Explicit,
}

func (c operators) cast(n *pg.CreateCastStmt) ast.Statement {
	out := &ast.CreateCast{From: c.typeName(n.Sourcetype), To: c.typeName(n.Targettype), InOut: n.Inout,
		Context: castContexts[n.Context]}
	if n.Func != nil {
		s := routines(c).signature(n.Func)
		out.Function = &s
	}
	return out
}

// defined converts CREATE of what has a list of definitions.
func (c operators) defined(n *pg.DefineStmt) ast.Statement {
	if n.Kind == pg.ObjectType_OBJECT_TYPE {
		return userTypes(c).createBase(n)
	}
	switch kind := c.objectKind("CREATE", n.Kind); kind {
	case ast.AggregateObject:
		return aggregates(c).create(n)
	case ast.CollationObject:
		return collations(c).create(n)
	case ast.OperatorObject:
		c.refuse(n.IfNotExists || n.Replace || n.Oldstyle || n.Args != nil, n, "this form of CREATE OPERATOR")
		return &ast.Operators{Name: c.nameOf(names(n.Defnames)), Options: aggregates(c).options(n.Definition)}
	default:
		c.refuse(true, nil, "CREATE "+strings.ToUpper(string(kind)))
	}
	return nil
}
