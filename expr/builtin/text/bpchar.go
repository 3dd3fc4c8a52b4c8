package text

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// bpcharFunctions are those to which the blanks of a char(n) are not lost by a cast to
// text first.
var bpcharFunctions = []*expr.Function{
	{Name: "length", Args: pg.Sig{pg.Bpchar}, Result: pg.Int4, Doc: "Number of characters without the blanks at the end.", Fn1: bpcharLength},
	{Name: "char_length", Args: pg.Sig{pg.Bpchar}, Result: pg.Int4, Doc: "Number of characters without the blanks at the end.", Fn1: bpcharLength},
	{Name: "character_length", Args: pg.Sig{pg.Bpchar}, Result: pg.Int4, Doc: "Number of characters without the blanks at the end.", Fn1: bpcharLength},
	{Name: "octet_length", Args: pg.Sig{pg.Bpchar}, Result: pg.Int4, Doc: "Number of bytes with the blanks at the end.", Fn1: OctetLength},
	{Name: "bpcharlike", Operator: "~~", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks is LIKE a pattern.", Fn2: TextLike(true), Bind: bindLike(true, runeWidth)},
	{Name: "bpcharnlike", Operator: "!~~", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks is not LIKE a pattern.", Fn2: TextLike(false), Bind: bindLike(false, runeWidth)},
	{Name: "bpchariclike", Operator: "~~*", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks is LIKE a pattern, in any case.", Fn2: TextILike(true), Bind: bindILike(true)},
	{Name: "bpcharicnlike", Operator: "!~~*", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks is not LIKE a pattern, in any case.", Fn2: TextILike(false), Bind: bindILike(false)},
	{Name: "bpcharregexeq", Operator: "~", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks matches a regular expression.", Fn2: TextRegex("", true)},
	{Name: "bpcharregexne", Operator: "!~", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks does not match a regular expression.", Fn2: TextRegex("", false)},
	{Name: "bpcharicregexeq", Operator: "~*", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks matches a regular expression, in any case.", Fn2: TextRegex("i", true)},
	{Name: "bpcharicregexne", Operator: "!~*", Args: pg.Sig{pg.Bpchar, pg.Text}, Result: pg.Boolean, Doc: "Whether a char(n) with its blanks does not match a regular expression, in any case.", Fn2: TextRegex("i", false)},
}

func bpcharLength(c *expr.Context, a types.Value) (types.Value, error) {
	return TextLength(c, types.NewText(types.TrimBlanks(a.Text())))
}
