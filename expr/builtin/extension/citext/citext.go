// Package citext is the functions, operators and aggregates of the extension citext, whose texts are compared without
// regard to case. The type, its casts and its order are in package types, as those of other texts are. Begin with
// Functions.
package citext

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/aggregate"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/text"
	"zproxy/types"
)

const citext = types.OIDCitext

// Functions are those of the extension, with our own numbers.
var Functions = slices.Concat(comparisons(), matches(), []*expr.Function{
	{Name: "citext", OID: 9770, Args: pg.Sig{pg.Bpchar}, Result: citext, Doc: "Text without the blanks at its end.", Fn1: fromBpchar},
	{Name: "citext", OID: 9771, Args: pg.Sig{pg.Boolean}, Result: citext, Doc: "true or false.", Fn1: fromBoolean},
	{Name: "citext", OID: 9772, Args: pg.Sig{types.OIDInet}, Result: citext, Doc: "Address with its netmask.", Fn1: fromInet},
	insensitive(9773, "regexp_match", pg.Sig{citext, citext}),
	insensitive(9774, "regexp_match", pg.Sig{citext, citext, pg.Text}),
	insensitive(9775, "regexp_matches", pg.Sig{citext, citext}),
	insensitive(9776, "regexp_matches", pg.Sig{citext, citext, pg.Text}),
	insensitive(9777, "regexp_replace", pg.Sig{citext, citext, pg.Text}),
	insensitive(9778, "regexp_replace", pg.Sig{citext, citext, pg.Text, pg.Text}),
	insensitive(9779, "regexp_split_to_array", pg.Sig{citext, citext}),
	insensitive(9780, "regexp_split_to_array", pg.Sig{citext, citext, pg.Text}),
	insensitive(9781, "regexp_split_to_table", pg.Sig{citext, citext}),
	insensitive(9782, "regexp_split_to_table", pg.Sig{citext, citext, pg.Text}),
	{Name: "strpos", OID: 9783, Args: pg.Sig{citext, citext}, Result: pg.Int4, Doc: "Position of the second text in the first, 0 when it is not there.", Fn2: position},
	{Name: "replace", OID: 9784, Args: pg.Sig{citext, citext, citext}, Result: pg.Text, Doc: "Text with each occurrence of the second text replaced by the third.", FnN: replace},
	{Name: "split_part", OID: 9785, Args: pg.Sig{citext, citext, pg.Int4}, Result: pg.Text, Doc: "Part of a text, by its number, between occurrences of the second text.", FnN: part},
	{Name: "translate", OID: 9786, Args: pg.Sig{citext, citext, pg.Text}, Result: pg.Text, Doc: "Text with each character of the second text replaced by that of the third at the same position.", FnN: translate},
})

// Aggregates are those of the extension, with our own numbers.
var Aggregates = numbered(9787, aggregate.Extremes(citext))

func numbered(first uint32, all []*expr.Aggregate) []*expr.Aggregate {
	for i, a := range all {
		a.OID = first + uint32(i)
	}
	return all
}

// comparisons are the functions behind the operators that compare.
func comparisons() (all []*expr.Function) {
	oid := uint32(9750)
	add := func(name string, result types.OID, doc string, of expr.Function2) {
		args := pg.Sig{citext, citext}
		all = append(all, &expr.Function{Name: name, OID: oid, Args: args, Result: result, Doc: doc, Fn2: of})
		oid++
	}
	order := func(c *expr.Context, a, b types.Value) (types.Value, error) {
		return types.NewInt(int64(types.Compare(a, b))), reads(c, a, b)
	}
	test := func(holds func(order int) bool) expr.Function2 {
		return func(c *expr.Context, a, b types.Value) (types.Value, error) {
			return types.NewBool(holds(types.Compare(a, b))), reads(c, a, b)
		}
	}
	end := func(sign int) expr.Function2 {
		return func(c *expr.Context, a, b types.Value) (types.Value, error) {
			if types.Compare(a, b) == sign {
				return a, reads(c, a, b)
			}
			return b, reads(c, a, b)
		}
	}
	add("citext_eq", pg.Boolean, "The comparison =.", test(func(o int) bool { return o == 0 }))
	add("citext_ne", pg.Boolean, "The comparison <>.", test(func(o int) bool { return o != 0 }))
	add("citext_lt", pg.Boolean, "The comparison <.", test(func(o int) bool { return o < 0 }))
	add("citext_le", pg.Boolean, "The comparison <=.", test(func(o int) bool { return o <= 0 }))
	add("citext_gt", pg.Boolean, "The comparison >.", test(func(o int) bool { return o > 0 }))
	add("citext_ge", pg.Boolean, "The comparison >=.", test(func(o int) bool { return o >= 0 }))
	add("citext_cmp", pg.Int4, "Order of two texts: -1, 0 or 1.", order)
	add("citext_larger", citext, "The greater one of two texts.", end(1))
	add("citext_smaller", citext, "The lesser one of two texts.", end(-1))
	return all
}

// reads counts the work of reading texts.
func reads(c *expr.Context, texts ...types.Value) (err error) {
	for i := 0; i < len(texts) && err == nil; i++ {
		err = c.Pieces(texts[i].Text(), 1, func(string) {})
	}
	return err
}

// matches are the operators of patterns, each under two signs.
func matches() (all []*expr.Function) {
	oid := uint32(9760)
	for _, right := range []types.OID{citext, pg.Text} {
		for _, m := range []struct {
			name, sign, doc string
			of              expr.Function2
		}{
			{"texticlike", "~~", "True if the text matches a pattern of LIKE.", text.TextILike(true)},
			{"texticnlike", "!~~", "True if the text does not match a pattern of LIKE.", text.TextILike(false)},
			{"texticregexeq", "~", "True if the text matches a regular expression.", text.TextRegex("i", true)},
			{"texticregexne", "!~", "True if the text does not match a regular expression.", text.TextRegex("i", false)},
		} {
			f := expr.Function{
				Name: m.name, OID: oid, Operator: m.sign, Args: pg.Sig{citext, right}, Result: pg.Boolean, Doc: m.doc, Fn2: m.of,
			}
			also := f
			also.Name, also.Operator, also.OID, also.Syntax = m.name+"*", m.sign+"*", 0, true
			all, oid = append(all, &f, &also), oid+1
		}
	}
	return all
}

// ofTexts is the function of texts that has a name and so many arguments.
func ofTexts(name string, arguments int) *expr.Function {
	args := slices.Repeat(pg.Sig{pg.Text}, arguments)
	at := slices.IndexFunc(text.Functions, func(f *expr.Function) bool {
		return f.Name == name && slices.Equal(f.Args, args)
	})
	return text.Functions[at]
}

// insensitive is a function of regular expressions that has flags as its last argument, which say i unless they say c.
func insensitive(oid uint32, name string, args pg.Sig) *expr.Function {
	plain := 2
	if name == "regexp_replace" {
		plain = 3
	}
	inner := ofTexts(name, plain+1)
	f := &expr.Function{
		Name: name, OID: oid, Args: args, Result: inner.Result, Out: inner.Out, Doc: inner.Doc, Count: inner.Count,
	}
	with := func(args []types.Value) []types.Value {
		flags := ""
		if len(args) > plain {
			flags = args[plain].Text()
		}
		if !strings.Contains(flags, "c") {
			flags += "i"
		}
		return append(slices.Clone(args[:plain]), types.NewText(flags))
	}
	if inner.Rows != nil {
		f.Rows = func(c *expr.Context, args []types.Value) expr.Set { return inner.Rows(c, with(args)) }
		return f
	}
	call := func(c *expr.Context, args []types.Value) (types.Value, error) { return inner.FnN(c, with(args)) }
	if len(args) == 2 {
		f.Fn2 = func(c *expr.Context, a, b types.Value) (types.Value, error) { return call(c, []types.Value{a, b}) }
	} else {
		f.FnN = call
	}
	return f
}

func fromBpchar(c *expr.Context, a types.Value) (types.Value, error) {
	return types.NewCitext(types.TrimBlanks(a.Text())), reads(c, a)
}

func fromBoolean(c *expr.Context, a types.Value) (types.Value, error) { return cast(c, a, pg.Boolean) }

func fromInet(c *expr.Context, a types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	return cast(c, a, types.OIDInet)
}

func cast(c *expr.Context, a types.Value, from types.OID) (types.Value, error) {
	found, _ := types.FindCast(from, citext)
	return found.Fn(a, types.Of(citext), c.Env)
}

func position(c *expr.Context, a, b types.Value) (types.Value, error) {
	return ofTexts("strpos", 2).Fn2(c, types.NewText(a.Compared()), types.NewText(b.Compared()))
}

// literally is the regular expression that a text itself matches.
func literally(c *expr.Context, v types.Value) (types.Value, error) {
	return ofTexts("regexp_replace", 4).FnN(c, []types.Value{
		v, types.NewText("([^a-zA-Z_0-9])"), types.NewText(`\\\1`), types.NewText("g"),
	})
}

func replace(c *expr.Context, args []types.Value) (types.Value, error) {
	pattern, err := literally(c, args[1])
	if err != nil {
		return types.Null, err
	}
	return ofTexts("regexp_replace", 4).FnN(c, []types.Value{args[0], pattern, args[2], types.NewText("gi")})
}

func part(c *expr.Context, args []types.Value) (types.Value, error) {
	pattern, err := literally(c, args[1])
	if err != nil {
		return types.Null, err
	}
	parts, err := ofTexts("regexp_split_to_array", 3).FnN(c, []types.Value{args[0], pattern, types.NewText("i")})
	if err != nil {
		return types.Null, err
	}
	items, at := parts.Array().Items, args[2].Int()
	if at < 1 || at > int64(len(items)) {
		return types.Null, nil
	}
	return items[at-1], nil
}

// translate replaces the characters in lower case first, then those in upper case.
func translate(c *expr.Context, args []types.Value) (types.Value, error) {
	inner := ofTexts("translate", 3)
	out, err := inner.FnN(c, []types.Value{args[0], types.NewText(args[1].Compared()), args[2]})
	if err != nil {
		return types.Null, err
	}
	return inner.FnN(c, []types.Value{out, types.NewText(strings.ToUpper(args[1].Text())), args[2]})
}
