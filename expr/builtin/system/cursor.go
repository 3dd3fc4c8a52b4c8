package system

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Cursors are those of the session.
type Cursors interface {
	// ResumeToken tells where a resumable cursor is; empty: at its end.
	ResumeToken(cursor string) (string, error)
	// Current is the key of the row of a table that a cursor is on; nil: it is on none of this table.
	Current(cursor string, table uint32, name string) (types.Row, error)
}

// CurrentOf is the function that WHERE CURRENT OF calls for each column of the key of a table.
func CurrentOf(table uint32, name string, column int, of types.OID) *expr.Function {
	return &expr.Function{Name: "current_of", Args: []types.OID{types.OIDText}, Result: of, Volatility: expr.Stable,
		Syntax: true, NotStrict: true, Fn1: func(c *expr.Context, v types.Value) (types.Value, error) {
			if v.IsNull() {
				return types.Null, sqlerr.New(sqlerr.UndefinedObject, "no value found for the variable that names a cursor")
			}
			cursor := v.Text()
			cursors := hostOf(c).Cursors
			if cursors == nil {
				return types.Null, sqlerr.New(sqlerr.InvalidCursorName, "cursor %q does not exist", cursor)
			}
			key, err := cursors.Current(cursor, table, name)
			if err != nil || key == nil {
				return types.Null, err
			}
			return key[column], nil
		}}
}

var cursorFunctions = []*expr.Function{
	{Schema: zproxySchema, Name: "resume_token", OID: 9560, Args: pg.Sig{pg.Text}, Params: []string{"cursor"}, Result: pg.Text, Volatility: expr.Volatile, Doc: "The token with which a cursor of the same query goes on behind the last row that this resumable cursor has delivered; NULL at the end.", Fn1: resumeToken},
}

func resumeToken(c *expr.Context, cursor types.Value) (types.Value, error) {
	cursors := hostOf(c).Cursors
	if cursors == nil {
		return types.Null, sqlerr.Unsupported("the token of a cursor here")
	}
	token, err := cursors.ResumeToken(cursor.Text())
	if err != nil || token == "" {
		return types.Null, err
	}
	return types.NewText(token), nil
}
