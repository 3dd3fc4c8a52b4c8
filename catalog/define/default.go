package define

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
)

// NewDefault gives a column a default.
func (b Builder) NewDefault(c *catalog.Column, tree ast.Expr, text string) error {
	read := b.Written()
	var value expr.Expr
	var uses []catalog.Bound
	if err := b.Noted(read, func() (err error) {
		value, uses, err = b.Stored().BindDefault(tree, *c)
		return err
	}); err != nil {
		return err
	}
	if k, ok := value.(expr.Const); ok && k.Value.IsNull() {
		text = "" // which is none
	}
	c.Default, c.DefaultUses, c.DefaultRead = text, uses, read
	return nil
}
