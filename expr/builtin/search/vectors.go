package search

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/textsearch/vector"
)

var vectorFunctions = []*expr.Function{
	{Name: "tsvector_concat", Operator: "||", Args: pg.Sig{tsvector, tsvector}, Result: tsvector, Doc: "Lexemes of both; the positions of the second one follow those of the first one.", Fn2: concatenated},
	{Name: "length", Args: pg.Sig{tsvector}, Result: pg.Int4, Doc: "Number of lexemes.", Fn1: length},
	{Name: "strip", Args: pg.Sig{tsvector}, Result: tsvector, Doc: "Lexemes without positions and weights.", Fn1: stripped},
	{Name: "setweight", Args: pg.Sig{tsvector, types.OIDChar}, Result: tsvector, Doc: "Lexemes with a weight: A, B, C or D.", Fn2: weighted},
	{Name: "setweight", Args: pg.Sig{tsvector, types.OIDChar, pg.TextArray}, Result: tsvector, Doc: "The given lexemes with a weight: A, B, C or D.", FnN: someWeighted},
	{Name: "ts_delete", Args: pg.Sig{tsvector, pg.Text}, Result: tsvector, Doc: "Without a lexeme.", Fn2: without},
	{Name: "ts_delete", Args: pg.Sig{tsvector, pg.TextArray}, Result: tsvector, Doc: "Without lexemes.", Fn2: withoutAll},
	{Name: "ts_filter", Args: pg.Sig{tsvector, charArray}, Result: tsvector, Doc: "Positions with one of the given weights, and their lexemes.", Fn2: filtered},
	{Name: "tsvector_to_array", Args: pg.Sig{tsvector}, Result: pg.TextArray, Doc: "Lexemes as an array.", Fn1: lexemesOf},
	{Name: "array_to_tsvector", Args: pg.Sig{pg.TextArray}, Result: tsvector, Doc: "Texts as lexemes, without positions.", Fn1: ofLexemes},
	{Name: "unnest", Args: pg.Sig{tsvector}, Result: types.OIDRecord, Params: []string{"tsvector"}, Doc: "A row for each lexeme, with its positions and their weights.", Rows: entries,
		Out: []expr.OutColumn{{Name: "lexeme", Type: pg.Text}, {Name: "positions", Type: 1005}, {Name: "weights", Type: pg.TextArray}}},
}

func concatenated(c *expr.Context, a, b types.Value) (types.Value, error) {
	if err := reads(c, a, b); err != nil {
		return types.Null, err
	}
	return vectorValue(vectorOf(a).Concat(vectorOf(b)))
}

func length(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(vector.Size(a.Bytes()))), nil
}

func stripped(c *expr.Context, a types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	return vectorValue(vectorOf(a).Strip(), nil)
}

// weightOf is the weight of a letter.
func weightOf(letter string) (weight int, ok bool) {
	if len(letter) != 1 {
		return 0, false
	}
	weight = strings.IndexByte("dcba", letter[0]|0x20)
	return weight, weight >= 0
}

// errWeight is PostgreSQL's, which has no code of its own there.
func errWeight(letter any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized weight: %v", letter)
}

func weighted(c *expr.Context, a, letter types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	weight, ok := weightOf(letter.Text())
	if !ok {
		return types.Null, errWeight(int8((letter.Text() + "\x00")[0]))
	}
	return vectorValue(vectorOf(a).Weigh(weight, func(string) bool { return true }), nil)
}

// lexemes are the items of an array, of which NULLs are none.
func lexemes(v types.Value) map[string]bool {
	out := map[string]bool{}
	for _, item := range v.Array().Items {
		if !item.IsNull() {
			out[item.Text()] = true
		}
	}
	return out
}

func someWeighted(c *expr.Context, args []types.Value) (types.Value, error) {
	if err := reads(c, args[0]); err != nil {
		return types.Null, err
	}
	weight, ok := weightOf(args[1].Text())
	if !ok {
		return types.Null, errWeight(args[1].Text())
	}
	wanted := lexemes(args[2])
	return vectorValue(vectorOf(args[0]).Weigh(weight, func(s string) bool { return wanted[s] }), nil)
}

func without(c *expr.Context, a, lexeme types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	s := lexeme.Text()
	return vectorValue(slices.DeleteFunc(vectorOf(a), func(e vector.Entry) bool { return e.Lexeme == s }), nil)
}

func withoutAll(c *expr.Context, a, all types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	unwanted := lexemes(all)
	return vectorValue(slices.DeleteFunc(vectorOf(a), func(e vector.Entry) bool { return unwanted[e.Lexeme] }), nil)
}

func filtered(c *expr.Context, a, weights types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	wanted := uint8(0)
	for _, item := range weights.Array().Items {
		if item.IsNull() {
			return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "weight array may not contain nulls")
		}
		weight, ok := weightOf(item.Text())
		if !ok {
			return types.Null, errWeight(`"` + item.Text() + `"`)
		}
		wanted |= 1 << weight
	}
	return vectorValue(vectorOf(a).Filter(wanted), nil)
}

func lexemesOf(c *expr.Context, a types.Value) (types.Value, error) {
	if err := reads(c, a); err != nil {
		return types.Null, err
	}
	return textArray(vectorOf(a).Lexemes()), nil
}

func textArray(all []string) types.Value {
	items := make([]types.Value, len(all))
	for i, s := range all {
		items[i] = types.NewText(s)
	}
	return types.NewItems(types.OIDText, items)
}

func ofLexemes(c *expr.Context, a types.Value) (types.Value, error) {
	var entries []vector.Entry
	const work = 16 // of a byte
	for _, item := range a.Array().Items {
		if item.IsNull() {
			return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed, "lexeme array may not contain nulls")
		}
		if err := c.Tick(work * (len(item.Text()) + 1)); err != nil {
			return types.Null, err
		}
		if item.Text() == "" {
			return types.Null, sqlerr.New(sqlerr.ZeroLengthCharacterString,
				"lexeme array may not contain empty strings")
		}
		entries = append(entries, vector.Entry{Lexeme: item.Text()})
	}
	return vectorValue(vector.Make(entries))
}

// entries are the rows of a vector.
func entries(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		if err := reads(c, args[0]); err != nil {
			yield(nil, err)
			return
		}
		for _, e := range vectorOf(args[0]) {
			row := types.Row{types.NewText(e.Lexeme), types.Null, types.Null}
			if len(e.Positions) > 0 {
				row[1], row[2] = positionsOf(e)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

func positionsOf(e vector.Entry) (positions, weights types.Value) {
	numbers, letters := make([]types.Value, len(e.Positions)), make([]types.Value, len(e.Positions))
	for i, p := range e.Positions {
		numbers[i], letters[i] = types.NewInt(int64(p.Number())), types.NewText("DCBA"[p.Weight():p.Weight()+1])
	}
	return types.NewItems(types.OIDInt2, numbers), types.NewItems(types.OIDText, letters)
}
