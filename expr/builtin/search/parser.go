package search

import (
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/textsearch/config"
	"zproxy/types/textsearch/dict"
	"zproxy/types/textsearch/token"
)

const (
	regdictionary      = types.OIDRegdict
	regdictionaryArray = types.OID(3770)
	defaultParser      = 3722
)

var (
	typeColumns  = []expr.OutColumn{{Name: "tokid", Type: pg.Int4}, {Name: "alias", Type: pg.Text}, {Name: "description", Type: pg.Text}}
	tokenColumns = []expr.OutColumn{{Name: "tokid", Type: pg.Int4}, {Name: "token", Type: pg.Text}}
	debugColumns = []expr.OutColumn{{Name: "alias", Type: pg.Text}, {Name: "description", Type: pg.Text}, {Name: "token", Type: pg.Text},
		{Name: "dictionaries", Type: regdictionaryArray}, {Name: "dictionary", Type: regdictionary}, {Name: "lexemes", Type: pg.TextArray}}
)

var parserFunctions = []*expr.Function{
	{Name: "ts_token_type", Args: pg.Sig{pg.OID}, Result: types.OIDRecord, Params: []string{"parser_oid"}, Doc: "Kinds of tokens of a parser.", Rows: tokenTypes, Out: typeColumns},
	{Name: "ts_token_type", Args: pg.Sig{pg.Text}, Result: types.OIDRecord, Params: []string{"parser_name"}, Volatility: expr.Stable, Doc: "Kinds of tokens of a parser.", Rows: tokenTypes, Out: typeColumns},
	{Name: "ts_parse", Args: pg.Sig{pg.OID, pg.Text}, Result: types.OIDRecord, Params: []string{"parser_oid", "txt"}, Doc: "Tokens of a document.", Rows: tokens, Out: tokenColumns},
	{Name: "ts_parse", Args: pg.Sig{pg.Text, pg.Text}, Result: types.OIDRecord, Params: []string{"parser_name", "txt"}, Volatility: expr.Stable, Doc: "Tokens of a document.", Rows: tokens, Out: tokenColumns},
	{Name: "ts_debug", Args: pg.Sig{regconfig, pg.Text}, Result: types.OIDRecord, Params: []string{"config", "document"}, Volatility: expr.Stable, Doc: "Tokens of a document, and what a configuration makes of them.", Rows: debug, Out: debugColumns},
	{Name: "ts_debug", Args: pg.Sig{pg.Text}, Result: types.OIDRecord, Params: []string{"document"}, Volatility: expr.Stable, Doc: "Tokens of a document, and what the configuration of default_text_search_config makes of them.", Rows: debug, Out: debugColumns},
	{Name: "ts_lexize", Args: pg.Sig{regdictionary, pg.Text}, Result: pg.TextArray, Doc: "Lexemes that a dictionary makes of a word; empty: it leaves the word out.", Fn2: lexize},
}

// checkParser wants a number or a name to be that of the only parser.
func checkParser(v types.Value) error {
	if v.Kind() == types.KindText {
		if strings.TrimPrefix(v.Text(), "pg_catalog.") == "default" {
			return nil
		}
		return sqlerr.New(sqlerr.UndefinedObject, "text search parser \"%s\" does not exist", v.Text())
	}
	if v.Int() == defaultParser {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "text search parser with OID %d does not exist", v.Int())
}

func tokenTypes(_ *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		if err := checkParser(args[0]); err != nil {
			yield(nil, err)
			return
		}
		for i, t := range token.Types() {
			row := types.Row{types.NewInt(int64(i + 1)), types.NewText(t.Alias), types.NewText(t.Description)}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// scan calls f for the tokens of a text until it says false.
func scan(c *expr.Context, text string, f func(kind token.Kind, text string) bool) error {
	s := token.NewScanner(text)
	for seen := 0; ; {
		kind, word, ok := s.Next()
		if !ok {
			return nil
		}
		const work = 8 // of a character
		if err := c.Tick(work * (s.Visited() - seen)); err != nil {
			return err
		}
		seen = s.Visited()
		if !f(kind, word) {
			return nil
		}
	}
}

func tokens(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		err := checkParser(args[0])
		if err == nil {
			err = scan(c, args[1].Text(), func(kind token.Kind, text string) bool {
				return yield(types.Row{types.NewInt(int64(kind)), types.NewText(text)}, nil)
			})
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func debug(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		of, err := currentConfig(c)
		if len(args) == 2 {
			of, err = config.ByOID(uint32(args[0].Int()))
		}
		if err == nil {
			kinds := token.Types()
			err = scan(c, args[len(args)-1].Text(), func(kind token.Kind, text string) bool {
				row, err := debugRow(kinds[kind-1], of.Dictionary(kind), text)
				return yield(row, err) && err == nil
			})
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func debugRow(kind token.Type, d *dict.Dictionary, text string) (types.Row, error) {
	row := types.Row{types.NewText(kind.Alias), types.NewText(kind.Description), types.NewText(text),
		types.NewItems(regdictionary, nil), types.Null, types.Null}
	if d == nil {
		return row, nil
	}
	oid := types.NewInt(int64(d.OID))
	row[3], row[4] = types.NewItems(regdictionary, []types.Value{oid}), oid
	var err error
	row[5], err = lexemesBy(d, text)
	return row, err
}

func lexemesBy(d *dict.Dictionary, text string) (types.Value, error) {
	lexeme, err := d.Lexeme(text)
	if err != nil || lexeme == "" {
		return textArray(nil), err
	}
	return textArray([]string{lexeme}), nil
}

func lexize(c *expr.Context, a, text types.Value) (types.Value, error) {
	if err := reads(c, text); err != nil {
		return types.Null, err
	}
	d := dict.ByOID(uint32(a.Int()))
	if d == nil {
		return types.Null, sqlerr.New(sqlerr.UndefinedObject,
			"text search dictionary with OID %d does not exist", a.Int())
	}
	return lexemesBy(d, text.Text())
}
