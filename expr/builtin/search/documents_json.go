package search

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/form"
	"zproxy/types/json"
	"zproxy/types/textsearch/config"
)

var jsonFunctions = with([]configuredFunction{
	{jsonVector, expr.Function{Name: "to_tsvector", Args: pg.Sig{pg.JSON}, Result: tsvector, Doc: "Lexemes of the strings of a document."}},
	{jsonVector, expr.Function{Name: "to_tsvector", Args: pg.Sig{pg.JSONB}, Result: tsvector, Doc: "Lexemes of the strings of a document."}},
	{jsonVectorOf, expr.Function{Name: "json_to_tsvector", Args: pg.Sig{pg.JSON, pg.JSONB}, Result: tsvector, Doc: "Lexemes of the values of a document that have the given types."}},
	{jsonVectorOf, expr.Function{Name: "jsonb_to_tsvector", Args: pg.Sig{pg.JSONB, pg.JSONB}, Result: tsvector, Doc: "Lexemes of the values of a document that have the given types."}},
})

// wanted are the kinds of values of a document that are looked at.
type wanted struct{ keys, strings, numbers, booleans bool }

func jsonVector(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
	return documentVector(c, of, args[0], wanted{strings: true})
}

func jsonVectorOf(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
	kinds, err := wantedKinds(args[1].JSONB())
	if err != nil {
		return types.Null, err
	}
	return documentVector(c, of, args[0], kinds)
}

func documentVector(c *expr.Context, of *config.Config, v types.Value, kinds wanted) (types.Value, error) {
	tree := v.JSONB
	if v.Kind() == types.KindJSON {
		raw, err := json.ParseRaw(v.Text(), c.Env.Work)
		if err != nil {
			return types.Null, err
		}
		tree = func() *json.Value { return raw }
	}
	out := &config.Collector{Config: of, Work: c}
	if err := kinds.walk(tree(), out); err != nil {
		return types.Null, err
	}
	return vectorValue(out.Vector())
}

// walk adds the values of a document to a vector.
func (w wanted) walk(v *json.Value, out *config.Collector) error {
	const work = 16 // of a value
	if err := form.Tick(out.Work, work); err != nil {
		return err
	}
	text := ""
	switch v.Kind {
	case json.Object, json.Array:
		for i := range v.Items {
			if v.Kind == json.Object && w.keys {
				if err := addText(out, v.Keys[i]); err != nil {
					return err
				}
			}
			if err := w.walk(&v.Items[i], out); err != nil {
				return err
			}
		}
		return nil
	case json.String:
		if !w.strings {
			return nil
		}
		text = v.Text
	case json.Number:
		if !w.numbers {
			return nil
		}
		text = string(json.Append(nil, v, nil))
	case json.Bool:
		if !w.booleans {
			return nil
		}
		text = string(json.Append(nil, v, nil))
	default:
		return nil
	}
	return addText(out, text)
}

// addText adds a text, and a free position behind it.
func addText(out *config.Collector, text string) error {
	added, err := out.Add(text)
	if added {
		out.Skip()
	}
	return err
}

// wantedKinds reads the names of kinds: a string, or an array of them.
func wantedKinds(v *json.Value) (out wanted, err error) {
	list := []json.Value{*v}
	switch v.Kind {
	case json.Array:
		list = v.Items
	case json.String:
	default:
		return out, sqlerr.New(sqlerr.InvalidParameterValue,
			"wrong flag type, only arrays and scalars are allowed")
	}
	const hint = "Possible values are: \"string\", \"numeric\", \"boolean\", \"key\", and \"all\"."
	for _, item := range list {
		if item.Kind != json.String {
			return out, sqlerr.New(sqlerr.InvalidParameterValue, "flag array element is not a string").WithHint(hint)
		}
		switch item.Text {
		case "all":
			out = wanted{true, true, true, true}
		case "key":
			out.keys = true
		case "string":
			out.strings = true
		case "numeric":
			out.numbers = true
		case "boolean":
			out.booleans = true
		default:
			return out, sqlerr.New(sqlerr.InvalidParameterValue, "wrong flag in flag array: \"%s\"", item.Text).
				WithHint(hint)
		}
	}
	return out, nil
}
