package parser

import (
	"math/big"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

func (c *converter) literal(n *pg.A_Const) ast.Expr {
	out := &ast.Literal{Pos: c.at(n.Location)}
	if n.Isnull {
		return out
	}
	switch v := n.Val.(type) {
	case *pg.A_Const_Ival:
		out.Kind, out.Text = ast.LiteralInt, strconv.Itoa(int(v.Ival.GetIval()))
	case *pg.A_Const_Fval:
		out.Kind, out.Text = number(v.Fval.GetFval())
	case *pg.A_Const_Boolval:
		out.Kind, out.Text = ast.LiteralBool, strconv.FormatBool(v.Boolval.GetBoolval())
	case *pg.A_Const_Sval:
		out.Kind, out.Text = ast.LiteralString, v.Sval.GetSval()
	case *pg.A_Const_Bsval:
		out.Kind, out.Text = ast.LiteralBits, v.Bsval.GetBsval()
	}
	return out
}

// number is a number that the grammar did not read as int4: in plain digits, whatever its
// base and with its underscores left out.
func number(text string) (ast.LiteralKind, string) {
	digits := strings.ReplaceAll(text, "_", "")
	if based(digits) {
		if i, ok := new(big.Int).SetString(digits, 0); ok {
			digits = i.String()
		}
	}
	if _, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return ast.LiteralInt, digits
	}
	return ast.LiteralNumeric, digits
}

// based says whether a number is written with 0x, 0o or 0b. A plain leading zero is
// decimal in SQL.
func based(digits string) bool {
	digits = strings.TrimPrefix(digits, "-")
	return len(digits) > 2 && digits[0] == '0' && strings.ContainsRune("xXoObB", rune(digits[1]))
}
