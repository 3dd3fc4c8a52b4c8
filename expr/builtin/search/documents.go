package search

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/system"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/textsearch/config"
	"zproxy/types/textsearch/query"
)

const regconfig = types.OIDRegconfig

// configured is what a function does with a configuration and further arguments.
type configured func(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error)

type configuredFunction struct {
	do configured
	expr.Function
}

// with are two overloads of each function: with a configuration before its arguments, and with the one of
// default_text_search_config.
func with(all []configuredFunction) (out []*expr.Function) {
	for _, f := range all {
		given, current := f.Function, f.Function
		given.Args = append(pg.Sig{regconfig}, f.Args...)
		given.Typed = func(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
			of, err := config.ByOID(uint32(args[0].Int()))
			if err != nil {
				return types.Null, err
			}
			return f.do(c, of, args[1:])
		}
		current.Volatility = expr.Stable
		current.Typed = func(c *expr.Context, _ []types.T, args []types.Value) (types.Value, error) {
			of, err := currentConfig(c)
			if err != nil {
				return types.Null, err
			}
			return f.do(c, of, args)
		}
		out = append(out, &given, &current)
	}
	return out
}

var documentFunctions = slices.Concat(
	with([]configuredFunction{
		{toVector, expr.Function{Name: "to_tsvector", Args: pg.Sig{pg.Text}, Result: tsvector, Doc: "Lexemes of a document."}},
		{toQuery(config.Operators), expr.Function{Name: "to_tsquery", Args: pg.Sig{pg.Text}, Result: tsquery, Doc: "Query of words with operators."}},
		{toQuery(config.Plain), expr.Function{Name: "plainto_tsquery", Args: pg.Sig{pg.Text}, Result: tsquery, Doc: "Query of all words of a text."}},
		{toQuery(config.Following), expr.Function{Name: "phraseto_tsquery", Args: pg.Sig{pg.Text}, Result: tsquery, Doc: "Query of all words of a text, one after the other."}},
		{toQuery(config.Web), expr.Function{Name: "websearch_to_tsquery", Args: pg.Sig{pg.Text}, Result: tsquery, Doc: "Query as search engines read it."}},
	}),
	[]*expr.Function{
		{Name: "get_current_ts_config", Args: pg.Sig{}, Result: regconfig, Volatility: expr.Stable, Doc: "Configuration of default_text_search_config.", Fn0: current},
		{Name: "ts_match_tq", Operator: "@@", Args: pg.Sig{pg.Text, tsquery}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "True if to_tsvector of a text matches a query.", Fn2: textMatches},
		{Name: "ts_match_tt", Operator: "@@", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "True if to_tsvector of a text matches plainto_tsquery of another one.", Fn2: textsMatch},
	},
)

// currentConfig is the configuration of the setting.
func currentConfig(c *expr.Context) (*config.Config, error) {
	name, ok := system.Setting(c, "default_text_search_config")
	if !ok || c.Env == nil || c.Env.Names == nil {
		return config.ByName("english"), nil // which the setting is at first
	}
	oid, err := c.Env.Names.OIDOf(regconfig, name)
	if err != nil {
		return nil, err
	}
	return config.ByOID(oid)
}

func current(c *expr.Context) (types.Value, error) {
	of, err := currentConfig(c)
	if err != nil {
		return types.Null, err
	}
	return types.NewInt(int64(of.OID)), nil
}

func toVector(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
	return vectorValue(of.Vector(args[0].Text(), c))
}

func toQuery(style config.Style) configured {
	return func(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
		return queryValue(readQuery(c, of, args[0].Text(), style))
	}
}

// readQuery reads the text of a query, and notes that nothing is left of one.
func readQuery(c *expr.Context, of *config.Config, text string, style config.Style) (*query.Node, error) {
	n, stopped, err := of.Query(text, style, c)
	switch {
	case err != nil || n != nil:
	case stopped:
		c.Env.Note(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"text-search query contains only stop words or doesn't contain lexemes, ignored"))
	default:
		c.Env.Note(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"text-search query doesn't contain lexemes: \"%s\"", text))
	}
	return n, err
}

func textMatches(c *expr.Context, a, b types.Value) (types.Value, error) {
	of, err := currentConfig(c)
	if err != nil {
		return types.Null, err
	}
	v, err := of.Vector(a.Text(), c)
	if err != nil {
		return types.Null, err
	}
	return types.NewBool(queryOf(b).Match(v)), nil
}

func textsMatch(c *expr.Context, a, b types.Value) (types.Value, error) {
	of, err := currentConfig(c)
	if err != nil {
		return types.Null, err
	}
	n, err := readQuery(c, of, b.Text(), config.Plain)
	if err != nil {
		return types.Null, err
	}
	v, err := of.Vector(a.Text(), c)
	if err != nil {
		return types.Null, err
	}
	return types.NewBool(n.Match(v)), nil
}
