package array

import (
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/types"
)

// splitFunctions make arrays and rows of texts and texts of arrays.
var splitFunctions = []*expr.Function{
	{Name: "array_to_string", Args: pg.Sig{pg.AnyArray, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Elements as texts with a delimiter in between, without NULLs.", Typed: arrayToString},
	{Name: "array_to_string", Args: pg.Sig{pg.AnyArray, pg.Text, pg.Text}, Result: pg.Text, Volatility: expr.Stable, NotStrict: true, Doc: "Elements as texts with a delimiter in between and a text for NULLs.", Typed: arrayToString},
	{Name: "string_to_array", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.TextArray, NotStrict: true, Doc: "Parts of a text between delimiters.", FnN: stringToArray},
	{Name: "string_to_array", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.TextArray, NotStrict: true, Doc: "Parts of a text between delimiters, those that equal a text as NULLs.", FnN: stringToArray},
	{Name: "string_to_table", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, NotStrict: true, Doc: "Parts of a text between delimiters as rows.", Rows: stringToTable},
	{Name: "string_to_table", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Text, NotStrict: true, Doc: "Parts of a text between delimiters as rows, those that equal a text as NULLs.", Rows: stringToTable},
}

func arrayToString(c *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
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
func split(c *expr.Context, args []types.Value, part func(types.Value) bool) error {
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

func stringToArray(c *expr.Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	parts := c.NewValues()
	if err := split(c, args, parts.Add); err != nil {
		return types.Null, err
	}
	list, err := parts.All()
	return types.NewItems(pg.Text, list), err
}

func stringToTable(c *expr.Context, args []types.Value) expr.Set {
	if args[0].IsNull() {
		return expr.SetOf(nil)
	}
	return func(yield func(types.Row, error) bool) {
		err := split(c, args, func(part types.Value) bool { return yield(types.Row{part}, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}
