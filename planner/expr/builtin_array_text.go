package expr

import (
	"strings"

	"zproxy/types"
)

// splitFunctions make arrays and rows of texts and texts of arrays.
var splitFunctions = []*Function{
	{Name: "array_to_string", Args: sig{anyArray, text}, Result: text, Volatility: Stable, Doc: "Elements as texts with a delimiter in between, without NULLs.", Typed: arrayToString},
	{Name: "array_to_string", Args: sig{anyArray, text, text}, Result: text, Volatility: Stable, NotStrict: true, Doc: "Elements as texts with a delimiter in between and a text for NULLs.", Typed: arrayToString},
	{Name: "string_to_array", Args: sig{text, text}, Result: textArray, NotStrict: true, Doc: "Parts of a text between delimiters.", FnN: stringToArray},
	{Name: "string_to_array", Args: sig{text, text, text}, Result: textArray, NotStrict: true, Doc: "Parts of a text between delimiters, those that equal a text as NULLs.", FnN: stringToArray},
	{Name: "string_to_table", Args: sig{text, text}, Result: text, NotStrict: true, Doc: "Parts of a text between delimiters as rows.", Rows: stringToTable},
	{Name: "string_to_table", Args: sig{text, text, text}, Result: text, NotStrict: true, Doc: "Parts of a text between delimiters as rows, those that equal a text as NULLs.", Rows: stringToTable},
}

func arrayToString(c *Context, of []types.T, args []types.Value) (types.Value, error) {
	if args[0].IsNull() || args[1].IsNull() {
		return types.Null, nil
	}
	element, _ := types.ElementOf(of[0])
	var parts []string
	size := 0
	for _, item := range args[0].Array().Items {
		switch {
		case !item.IsNull():
			parts = append(parts, types.FormatText(item, element, c.Env))
		case len(args) > 2 && !args[2].IsNull():
			parts = append(parts, args[2].Text())
		default:
			continue
		}
		size += len(parts[len(parts)-1]) + len(args[1].Text())
		if err := checkLength(size); err != nil {
			return types.Null, err
		}
	}
	return types.NewText(strings.Join(parts, args[1].Text())), nil
}

// split cuts a text at a delimiter: without one it is whole, and at NULL each character
// is a part.
func split(args []types.Value) []types.Value {
	s := args[0].Text()
	parts := []string{s}
	switch {
	case s == "":
		return nil
	case args[1].IsNull():
		parts = strings.Split(s, "")
	case args[1].Text() != "":
		parts = strings.Split(s, args[1].Text())
	}
	out := make([]types.Value, len(parts))
	for i, part := range parts {
		if len(args) < 3 || args[2].IsNull() || args[2].Text() != part {
			out[i] = types.NewText(part)
		}
	}
	return out
}

func stringToArray(_ *Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	return types.NewItems(text, split(args)), nil
}

func stringToTable(_ *Context, args []types.Value) Set {
	if args[0].IsNull() {
		return setOf(nil)
	}
	return setOf(split(args))
}
