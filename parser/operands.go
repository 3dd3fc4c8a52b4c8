package parser

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// markOperands puts calls of a function around operands that are operations themselves. The deparser of libpg_query
// leaves parentheses out that some of them need, as those of (a AND b) IS NULL and of a BETWEEN (b > c) AND d, but
// always prints those of a call. Without the name of the function they are left.
func markOperands(tree protoreflect.Message, mark string) {
	children(tree, func(m protoreflect.Message) { markOperands(m, mark) })
	for _, operand := range operandsOf(tree.Interface()) {
		if isOperation(*operand) {
			*operand = call(mark, *operand)
		}
	}
	if n, ok := tree.Interface().(*pg.A_Indirection); ok && !isName(n.Arg) {
		n.Arg = call(mark, n.Arg)
	}
}

func call(name string, arg *pg.Node) *pg.Node {
	names := []*pg.Node{{Node: &pg.Node_String_{String_: &pg.String{Sval: name}}}}
	return &pg.Node{Node: &pg.Node_FuncCall{FuncCall: &pg.FuncCall{
		Funcname: names, Args: []*pg.Node{arg}, Funcformat: pg.CoercionForm_COERCE_EXPLICIT_CALL,
	}}}
}

// isName says whether an expression takes subscripts without parentheses.
func isName(n *pg.Node) bool {
	if n.GetParamRef() != nil {
		return true
	}
	fields := n.GetColumnRef().GetFields()
	return len(fields) > 0 && fields[len(fields)-1].GetAStar() == nil
}

// operandsOf are those of an operation that stand without parentheses or commas around them.
func operandsOf(m any) []**pg.Node {
	switch n := m.(type) {
	case *pg.A_Expr:
		return operandsOfOperator(n)
	case *pg.BoolExpr:
		return pointers(n.Args)
	case *pg.NullTest:
		return []**pg.Node{&n.Arg}
	case *pg.BooleanTest:
		return []**pg.Node{&n.Arg}
	case *pg.SubLink:
		return []**pg.Node{&n.Testexpr}
	case *pg.TypeCast:
		return []**pg.Node{&n.Arg}
	case *pg.CollateClause:
		return []**pg.Node{&n.Arg}
	case *pg.FuncCall:
		if n.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX { // such as a AT TIME ZONE b
			return pointers(n.Args)
		}
	}
	return nil
}

func operandsOfOperator(n *pg.A_Expr) []**pg.Node {
	switch right := n.Rexpr.GetNode().(type) {
	case *pg.Node_List:
		if n.Kind != pg.A_Expr_Kind_AEXPR_IN {
			return append(pointers(right.List.Items), &n.Lexpr)
		}
		return []**pg.Node{&n.Lexpr}
	case *pg.Node_FuncCall:
		if slices.Contains([]pg.A_Expr_Kind{pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE,
			pg.A_Expr_Kind_AEXPR_SIMILAR}, n.Kind) {
			// it may be a pattern and what escapes in it
			return append(pointers(right.FuncCall.Args), &n.Lexpr, &n.Rexpr)
		}
	}
	if left := n.Lexpr.GetAExpr(); left != nil && chains(n, left) {
		return []**pg.Node{&n.Rexpr}
	}
	return []**pg.Node{&n.Lexpr, &n.Rexpr}
}

// chains says whether a + b + c is read as (a + b) + c. A long one would need as many parentheses.
func chains(n, left *pg.A_Expr) bool {
	name := operatorName(n)
	return n.Kind == pg.A_Expr_Kind_AEXPR_OP && left.Kind == n.Kind && left.Lexpr != nil &&
		name == operatorName(left) && !strings.ContainsAny(name, "<>=")
}

func operatorName(n *pg.A_Expr) string {
	if len(n.Name) != 1 {
		return "="
	}
	return n.Name[0].GetString_().GetSval()
}

func pointers(list []*pg.Node) []**pg.Node {
	out := make([]**pg.Node, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// isOperation says whether an expression binds less than any operator may.
func isOperation(n *pg.Node) bool {
	switch n := n.GetNode().(type) {
	case *pg.Node_AExpr, *pg.Node_BoolExpr, *pg.Node_NullTest, *pg.Node_BooleanTest, *pg.Node_CollateClause:
		return true
	case *pg.Node_SubLink:
		return n.SubLink.Testexpr != nil
	case *pg.Node_FuncCall:
		return n.FuncCall.Funcformat == pg.CoercionForm_COERCE_SQL_SYNTAX
	case *pg.Node_AConst:
		return n.AConst.GetIval().GetIval() < 0 || strings.HasPrefix(n.AConst.GetFval().GetFval(), "-")
	}
	return false
}
