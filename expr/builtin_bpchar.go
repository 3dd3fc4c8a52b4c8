package expr

import "zproxy/types"

// bpcharFunctions are those to which the blanks of a char(n) are not lost by a cast to
// text first.
var bpcharFunctions = []*Function{
	{Name: "length", Args: sig{bpchar}, Result: int4, Doc: "Number of characters without the blanks at the end.", Fn1: bpcharLength},
	{Name: "char_length", Args: sig{bpchar}, Result: int4, Doc: "Number of characters without the blanks at the end.", Fn1: bpcharLength},
	{Name: "character_length", Args: sig{bpchar}, Result: int4, Doc: "Number of characters without the blanks at the end.", Fn1: bpcharLength},
	{Name: "octet_length", Args: sig{bpchar}, Result: int4, Doc: "Number of bytes with the blanks at the end.", Fn1: octetLength},
	{Name: "bpcharlike", Operator: "~~", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks is LIKE a pattern.", Fn2: textLike(true)},
	{Name: "bpcharnlike", Operator: "!~~", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks is not LIKE a pattern.", Fn2: textLike(false)},
	{Name: "bpchariclike", Operator: "~~*", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks is LIKE a pattern, in any case.", Fn2: textILike(true)},
	{Name: "bpcharicnlike", Operator: "!~~*", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks is not LIKE a pattern, in any case.", Fn2: textILike(false)},
	{Name: "bpcharregexeq", Operator: "~", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks matches a regular expression.", Fn2: textRegex("", true)},
	{Name: "bpcharregexne", Operator: "!~", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks does not match a regular expression.", Fn2: textRegex("", false)},
	{Name: "bpcharicregexeq", Operator: "~*", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks matches a regular expression, in any case.", Fn2: textRegex("i", true)},
	{Name: "bpcharicregexne", Operator: "!~*", Args: sig{bpchar, text}, Result: boolean, Doc: "Whether a char(n) with its blanks does not match a regular expression, in any case.", Fn2: textRegex("i", false)},
}

func bpcharLength(c *Context, a types.Value) (types.Value, error) {
	return textLength(c, types.NewText(types.TrimBlanks(a.Text())))
}
