package expr

import (
	"fmt"
	"strings"

	"zproxy/types"
)

// String implements Expr. Numbers and texts are bare, other constants name their type.
func (e Const) String() string {
	if e.Value.IsNull() {
		return "NULL"
	}
	text := string(types.AppendText(nil, e.Value, e.T, &types.Env{}))
	switch e.T.Kind() {
	case types.KindInt, types.KindFloat, types.KindNumeric:
		return text
	case types.KindBool:
		if e.Value.Bool() {
			return "true"
		}
		return "false"
	case types.KindText:
		return quote(text)
	case types.KindCollated:
		if e.T.OID != types.OIDBpchar {
			return quote(text)
		}
		return quote(text) + "::" + e.T.String()
	default:
		return quote(text) + "::" + e.T.String()
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// String implements Expr.
func (e Param) String() string { return fmt.Sprintf("$%d", e.Number+1) }

// String implements Expr.
func (e Column) String() string { return e.Name }

// String implements Expr.
func (e Call) String() string {
	sign := e.Fn.Operator
	if e.Fn.Via != nil && e.Fn.Via.Name != "" {
		sign = e.Fn.Via.Name
	}
	if sign == "" {
		return e.Fn.Name + "(" + list(e.Args) + ")"
	}
	if len(e.Args) == 1 {
		return "(" + sign + " " + e.Args[0].String() + ")"
	}
	return "(" + e.Args[0].String() + " " + sign + " " + e.Args[1].String() + ")"
}

// String is the sign.
func (op CompareOp) String() string {
	return [...]string{EQ: "=", NE: "<>", LT: "<", LE: "<=", GT: ">", GE: ">="}[op]
}

// String implements Expr.
func (e Compare) String() string {
	return "(" + e.Left.String() + " " + e.Op.String() + " " + e.Right.String() + ")"
}

// String implements Expr.
func (e Logic) String() string {
	word := " AND "
	if e.Or {
		word = " OR "
	}
	return "(" + join(e.Args, word) + ")"
}

// String implements Expr.
func (e Not) String() string { return "(NOT " + e.Arg.String() + ")" }

// String implements Expr.
func (e IsNull) String() string { return "(" + e.Arg.String() + " IS " + not(e.Not) + "NULL)" }

// String implements Expr.
func (e IsBool) String() string {
	return fmt.Sprintf("(%s IS %s%s)", e.Arg, not(e.Not), strings.ToUpper(fmt.Sprint(e.Want)))
}

// String implements Expr.
func (e Distinct) String() string {
	return fmt.Sprintf("(%s IS %sDISTINCT FROM %s)", e.Left, not(e.Not), e.Right)
}

// String implements Expr.
func (e In) String() string {
	return fmt.Sprintf("(%s %sIN (%s))", e.Arg, not(e.Not), list(e.List))
}

// String implements Expr.
func (e Case) String() string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range e.Whens {
		fmt.Fprintf(&b, " WHEN %s THEN %s", w.Cond, w.Result)
	}
	if e.Else != nil {
		fmt.Fprintf(&b, " ELSE %s", e.Else)
	}
	b.WriteString(" END")
	return b.String()
}

// String implements Expr.
func (e Coalesce) String() string { return "COALESCE(" + list(e.Args) + ")" }

// String implements Expr.
func (e NullIf) String() string { return fmt.Sprintf("NULLIF(%s, %s)", e.Left, e.Right) }

// String implements Expr.
func (e Extreme) String() string {
	if e.Least {
		return "LEAST(" + list(e.Args) + ")"
	}
	return "GREATEST(" + list(e.Args) + ")"
}

// String implements Expr.
func (e Cast) String() string { return "(" + e.Arg.String() + ")::" + e.To.String() }

func not(b bool) string {
	if b {
		return "NOT "
	}
	return ""
}

func list(all []Expr) string { return join(all, ", ") }

func join(all []Expr, sep string) string {
	parts := make([]string, len(all))
	for i, e := range all {
		parts[i] = e.String()
	}
	return strings.Join(parts, sep)
}
