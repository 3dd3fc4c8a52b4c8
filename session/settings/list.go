package settings

import (
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Written is the text of the values that SET gives to the setting.
func (row *Setting) Written(set *ast.Set) (string, error) {
	values := set.Values
	if len(values) > 1 && !row.list {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "SET %s takes only one argument", set.Name)
	}
	if row.names {
		values = make([]string, len(values))
		for i, name := range set.Values {
			values[i] = expr.QuoteIdent(name)
		}
	}
	return strings.Join(values, ", "), nil
}
