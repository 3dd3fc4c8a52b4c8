package bind

import (
	"math"
	"strconv"

	"zproxy/parser/ast"
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
