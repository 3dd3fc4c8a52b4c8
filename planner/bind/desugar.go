package bind

import (
	"math"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Literal is the value of a literal and its type, which of a text is unknown.
func (c *Constants) Literal(e *ast.Literal) (types.Value, types.T, error) {
	switch e.Kind {
	case ast.LiteralNull:
		return types.Null, types.Unknown, nil
	case ast.LiteralBool:
		return types.NewBool(e.Text == "true"), types.Bool, nil
	case ast.LiteralString:
		return types.NewText(e.Text), types.Unknown, nil
	case ast.LiteralInt:
		if v, err := strconv.ParseInt(e.Text, 10, 64); err == nil {
			if v == int64(int32(v)) {
				return types.NewInt(v), types.Int4, nil
			}
			return types.NewInt(v), types.Int8, nil
		}
	}
	t := types.Numeric
	if e.Kind == ast.LiteralBits {
		t = types.Of(types.OIDBit)
	}
	v, err := types.ParseText(e.Text, t, c.Env)
	return v, t, At(err, e.Pos)
}

// Negative is the value of a number with a minus before it.
func (c *Constants) Negative(e *ast.Literal) (types.Value, types.T, error) {
	v, t, err := c.Literal(e)
	if err != nil || t.OID == types.OIDNumeric {
		return c.Literal(&ast.Literal{Kind: ast.LiteralNumeric, Text: "-" + e.Text, Pos: e.Pos})
	}
	if v = types.NewInt(-v.Int()); v.Int() == math.MinInt32 {
		t = types.Int8 // as PostgreSQL has it: 2147483648 was an int8
	}
	return v, t, nil
}

// ListItem is the item of a select list of n that an expression of ORDER BY, GROUP BY or DISTINCT ON means by
// its number or its name, -1 for none. Items of one name must be the same.
func ListItem(e ast.Expr, clause string, n int, name func(i int) string, same func(i, k int) bool) (int, error) {
	switch e := e.(type) {
	case *ast.Literal:
		if e.Kind != ast.LiteralInt {
			return -1, sqlerr.New(sqlerr.SyntaxError, "non-integer constant in %s", clause).At(int(e.Pos))
		}
		i, err := strconv.Atoi(e.Text)
		if err != nil || i < 1 || i > n {
			return -1, sqlerr.New(sqlerr.InvalidColumnReference, "%s position %s is not in select list", clause,
				e.Text).At(int(e.Pos))
		}
		return i - 1, nil
	case *ast.Column:
		if len(e.Parts) != 1 {
			return -1, nil
		}
		found := -1
		for i := range n {
			if name(i) != e.Parts[0] {
				continue
			}
			if found >= 0 && !same(found, i) {
				return -1, sqlerr.New(sqlerr.AmbiguousColumn, "%s %q is ambiguous", clause, e.Parts[0]).At(int(e.Pos))
			}
			found = i
		}
		return found, nil
	}
	return -1, nil
}

// ArrayOf is the type of arrays of a type; an array's is its own, but for vectors, of which there are arrays.
func ArrayOf(t types.T) types.T {
	if types.Nests(t.OID) {
		return t
	}
	return types.T{OID: types.InfoOf(t.OID).Array, Mod: t.Mod}
}
