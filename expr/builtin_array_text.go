package expr

import (
	"unicode/utf8"

	"zproxy/expr/work"
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
	out, any := c.Text(0), false
	for _, item := range args[0].Array().Items {
		part := ""
		switch {
		case !item.IsNull():
			part = types.FormatText(item, element, c.Env)
		case len(args) > 2 && !args[2].IsNull():
			part = args[2].Text()
		default:
			if err := c.Tick(work.CompareUnits); err != nil {
				return types.Null, err
			}
			continue
		}
		if any {
			out.Add(args[1].Text())
		}
		if out.Add(part); out.Err != nil {
			break
		}
		any = true
	}
	return out.Value()
}

// split calls part for the parts of a text between delimiters, until it says false: without one
// it is whole, and at NULL each character is a part.
func split(c *Context, args []types.Value, part func(types.Value) bool) error {
	s, null := args[0].Text(), len(args) > 2 && !args[2].IsNull()
	delimiter, chars := args[1].Text(), args[1].IsNull()
	for more := s != ""; more; {
		if err := c.Tick(work.CompareUnits); err != nil {
			return err
		}
		one := s
		switch {
		case chars:
			_, size := utf8.DecodeRuneInString(s)
			one, s = s[:size], s[size:]
			more = s != ""
		case delimiter == "":
			more = false
		default:
			at, err := c.IndexIn(s, delimiter)
			if err != nil {
				return err
			}
			if more = at >= 0; more {
				one, s = s[:at], s[at+len(delimiter):]
			}
		}
		v := types.NewText(one)
		if null && args[2].Text() == one {
			v = types.Null
		}
		more = part(v) && more
	}
	return nil
}

func stringToArray(c *Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	parts := c.NewValues()
	if err := split(c, args, parts.Add); err != nil {
		return types.Null, err
	}
	list, err := parts.All()
	return types.NewItems(text, list), err
}

func stringToTable(c *Context, args []types.Value) Set {
	if args[0].IsNull() {
		return setOf(nil)
	}
	return func(yield func(types.Row, error) bool) {
		err := split(c, args, func(part types.Value) bool { return yield(types.Row{part}, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}
