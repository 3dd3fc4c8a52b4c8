package names

import (
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser"
	"zproxy/types"
)

// partitionKey is what stands behind PARTITION BY of a table.
func partitionKey(v *View, t *catalog.Table) string {
	var list []string
	next := 0
	for _, k := range t.Partitioning.Keys {
		text := ""
		if k.Column != 0 {
			text = expr.QuoteIdent(t.Columns[t.Ordinal(k.Column)].Name)
		} else {
			text = partitionExpression(v, t, &t.PartitionExprs[next])
			next++
		}
		if k.Class != "" {
			text += " " + k.Class
		}
		list = append(list, text)
	}
	return strings.ToUpper(string(t.Partitioning.Strategy)) + " (" + strings.Join(list, ", ") + ")"
}

// partitionExpression is an expression that rows are divided by; only a call of a function stands without parentheses.
func partitionExpression(v *View, t *catalog.Table, c *catalog.Condition) string {
	text, err := v.deparser().Computed(t, c, style(system.Layout{}))
	if err != nil {
		text = c.Text
	}
	if tree, err := parser.Expression(c.Text); err != nil || !isCall(tree) {
		text = "(" + text + ")"
	}
	return text
}

// boundText is the condition for the rows of a partition as PostgreSQL prints it: with the types of texts.
func boundText(e expr.Expr) string {
	texts := func(list []expr.Expr) (out []string) {
		for _, e := range list {
			out = append(out, boundText(e))
		}
		return out
	}
	switch e := e.(type) {
	case expr.Logic:
		word := " AND "
		if e.Or {
			word = " OR "
		}
		return "(" + strings.Join(texts(e.Args), word) + ")"
	case expr.Not:
		return "(NOT " + boundText(e.Arg) + ")"
	case expr.IsNull:
		if e.Not {
			return "(" + boundText(e.Arg) + " IS NOT NULL)"
		}
		return "(" + boundText(e.Arg) + " IS NULL)"
	case expr.Compare:
		return "(" + boundText(e.Left) + " " + e.Op.String() + " " + boundText(e.Right) + ")"
	case expr.In:
		return "(" + boundText(e.Arg) + " = ANY (ARRAY[" + strings.Join(texts(e.List), ", ") + "]))"
	case expr.Call:
		if strings.HasPrefix(e.String(), e.Fn.Name+"(") {
			return e.Fn.Name + "(" + strings.Join(texts(e.Args), ", ") + ")"
		}
	case expr.Const:
		switch {
		case e.T.OID == types.OIDText && !e.Value.IsNull():
			return expr.QuoteLiteral(e.Value.Text()) + "::text"
		case e.T.OID == types.OIDOID, e.T.OID == types.OIDInt4 && e.Value.Int() < 0:
			return "'" + strconv.FormatInt(e.Value.Int(), 10) + "'::" + e.T.String()
		}
	}
	return e.String()
}
