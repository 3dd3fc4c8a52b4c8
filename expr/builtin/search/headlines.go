package search

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/form"
	"zproxy/types/json"
	"zproxy/types/textsearch/config"
	"zproxy/types/textsearch/headline"
	"zproxy/types/textsearch/query"
)

const headlineDoc = "The parts of a document that answer a query, with its words marked."

var headlineFunctions = with([]configuredFunction{
	{textHeadline, expr.Function{Name: "ts_headline", Args: pg.Sig{pg.Text, tsquery, pg.Text}, Result: pg.Text, Doc: headlineDoc}},
	{textHeadline, expr.Function{Name: "ts_headline", Args: pg.Sig{pg.Text, tsquery}, Result: pg.Text, Doc: headlineDoc}},
	{jsonHeadline, expr.Function{Name: "ts_headline", Args: pg.Sig{pg.JSON, tsquery, pg.Text}, Result: pg.JSON, Doc: headlineDoc}},
	{jsonHeadline, expr.Function{Name: "ts_headline", Args: pg.Sig{pg.JSON, tsquery}, Result: pg.JSON, Doc: headlineDoc}},
	{jsonbHeadline, expr.Function{Name: "ts_headline", Args: pg.Sig{pg.JSONB, tsquery, pg.Text}, Result: pg.JSONB, Doc: headlineDoc}},
	{jsonbHeadline, expr.Function{Name: "ts_headline", Args: pg.Sig{pg.JSONB, tsquery}, Result: pg.JSONB, Doc: headlineDoc}},
})

// maker makes headlines of the texts of a document.
type maker struct {
	*config.Config
	of      *query.Node
	options string
	work    form.Work
}

// makerOf reads the arguments behind the configuration and the document.
func makerOf(c *expr.Context, of *config.Config, args []types.Value) (*maker, error) {
	m := &maker{Config: of, of: queryOf(args[1]), work: c}
	if len(args) > 2 {
		m.options = args[2].Text()
	}
	return m, reads(c, args...)
}

// text is the headline of a text. Options are read for each, as those of a document without texts are not wrong.
func (m *maker) text(s string) (string, error) {
	o, err := headline.ParseOptions(m.options)
	if err != nil {
		return "", err
	}
	return headline.Make(m.Config, s, m.of, o, m.work)
}

// strings makes headlines of the strings of a document.
func (m *maker) strings(v json.Value) (json.Value, error) {
	const work = 16 // of a value
	if err := form.Tick(m.work, work); err != nil {
		return v, err
	}
	if v.Kind == json.String {
		s, err := m.text(v.Text)
		return json.Value{Kind: json.String, Text: s}, err
	}
	if len(v.Items) == 0 {
		return v, nil
	}
	items := make([]json.Value, len(v.Items))
	for i := range v.Items {
		item, err := m.strings(v.Items[i])
		if err != nil {
			return v, err
		}
		items[i] = item
	}
	v.Items, v.Raw = items, ""
	return v, nil
}

func textHeadline(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
	m, err := makerOf(c, of, args)
	if err != nil {
		return types.Null, err
	}
	s, err := m.text(args[0].Text())
	return types.NewText(s), err
}

func jsonHeadline(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
	m, err := makerOf(c, of, args)
	if err != nil {
		return types.Null, err
	}
	raw, err := json.ParseRaw(args[0].Text(), c)
	if err != nil {
		return types.Null, err
	}
	marked, err := m.strings(*raw)
	return types.NewJSON(string(json.AppendCompact(nil, &marked, c))), err
}

func jsonbHeadline(c *expr.Context, of *config.Config, args []types.Value) (types.Value, error) {
	m, err := makerOf(c, of, args)
	if err != nil {
		return types.Null, err
	}
	marked, err := m.strings(*args[0].JSONB())
	return types.NewJSONB(&marked), err
}
