package parser

import (
	"fmt"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"zproxy/parser/ast"
)

// bounded is the type of a column, and the condition that bounds its values where a vendor's type is
// narrower than the one that it is kept as: TINYINT than smallint, VARBINARY(n) than bytea.
func bounded(column string, n *pg.TypeName) (*pg.TypeName, *ast.Check, error) {
	parts := names(n.GetNames())
	if len(parts) != 1 || len(n.ArrayBounds) > 0 {
		return n, nil, nil
	}
	condition := ""
	switch parts[0] {
	case "tinyint":
		condition = identifierOf(column) + " BETWEEN -128 AND 127"
	case "varbinary":
		if len(n.Typmods) != 1 || n.Typmods[0].GetAConst().GetIval().GetIval() < 1 {
			return n, nil, nil
		}
		condition = fmt.Sprintf("octet_length(%s) <= %d", identifierOf(column),
			n.Typmods[0].GetAConst().GetIval().GetIval())
		n = proto.Clone(n).(*pg.TypeName)
		n.Typmods = nil
	default:
		return n, nil, nil
	}
	e, err := Expression(condition)
	return n, &ast.Check{Expr: e, Text: condition, Pos: -1}, err
}
