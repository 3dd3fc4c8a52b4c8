package inverted

import (
	"zproxy/catalog/elements"
	"zproxy/encoding/ordered"
	"zproxy/expr"
	"zproxy/expr/builtin/extension/trigram"
	"zproxy/expr/regex"
	"zproxy/types"
	"zproxy/types/textsearch/query"
	"zproxy/types/textsearch/vector"
)

// The access methods.
const (
	gin  = "gin"
	gist = "gist"
)

// Classes are all operator classes.
var Classes = []*Class{
	{Name: "array_ops", Default: true, Methods: []string{gin}, takes: isArray, elements: items, asks: map[string]ask{
		"@>": hasAll, "&&": overlaps, "<@": isIn, "=": equals, anyElement: hasOne,
	}},
	{Name: "jsonb_ops", Default: true, Methods: []string{gin}, takes: isJSONB, elements: keysAndLeaves,
		asks: map[string]ask{"@>": containsKeyed, "?": exists, "?|": existsAny, "?&": existsAll,
			"@?": pathFinds, "@@": pathIsTrue}},
	{Name: "jsonb_path_ops", Methods: []string{gin}, takes: isJSONB, elements: leavesOf,
		asks: map[string]ask{"@>": contains, "@?": pathFinds, "@@": pathIsTrue}},
	{Name: "tsvector_ops", Default: true, Methods: []string{gin, gist}, takes: isVector, elements: lexemes,
		asks: map[string]ask{"@@": matches, "@@@": matches}},
	{Name: "gin_hstore_ops", Default: true, Extension: "hstore", Methods: []string{gin}, takes: isHstore,
		elements: keysAndPairs, asks: inPairs},
	{Name: "gist_hstore_ops", Default: true, Extension: "hstore", Methods: []string{gist}, takes: isHstore,
		elements: keysAndPairs, asks: inPairs},
	{Name: "gin_trgm_ops", Extension: "pg_trgm", Methods: []string{gin}, takes: isText, elements: trigrams, asks: alike},
	{Name: "gist_trgm_ops", Extension: "pg_trgm", Methods: []string{gist}, takes: isText, elements: trigrams, asks: alike},
}

func isArray(t types.T) bool {
	_, is := types.ElementOf(t)
	return is
}

func isJSONB(t types.T) bool { return t.Kind() == types.KindJSONB }

func isText(t types.T) bool { return t.Kind() == types.KindText && !isArray(t) }

// items are the elements of an array that are not NULL.
func items(c *expr.Context, v types.Value) ([]string, error) {
	list := v.Array().Items
	if err := c.MakeItems(len(list)); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		if err := c.Tick(1); err != nil {
			return nil, err
		}
		if !item.IsNull() {
			out = append(out, itemOf(item))
		}
	}
	return out, nil
}

// itemOf is an element of an array: v and its bytes, so that none is what an empty array has.
func itemOf(item types.Value) string { return "v" + string(ordered.Append(nil, item, false)) }

// asked are the queries for the elements of an array, each once; with null one of them is NULL.
func asked(c *expr.Context, v types.Value) (out []Query, null bool, err error) {
	list, seen := v.Array().Items, map[string]bool{}
	if err := c.MakeItems(len(list)); err != nil {
		return nil, false, err
	}
	for _, item := range list {
		if null = null || item.IsNull(); item.IsNull() {
			continue
		}
		q, err := hasOne(c, item)
		if err != nil {
			return nil, false, err
		}
		if !seen[q.Element] {
			seen[q.Element], out = true, append(out, q)
		}
	}
	return out, null, c.Tick(len(list))
}

func hasAll(c *expr.Context, v types.Value) (Query, error) {
	list, null, err := asked(c, v)
	if null { // it is in no array
		return nothing, err
	}
	return Both(list), err
}

func overlaps(c *expr.Context, v types.Value) (Query, error) {
	list, _, err := asked(c, v)
	return Either(list), err
}

func isIn(c *expr.Context, v types.Value) (Query, error) {
	list, _, err := asked(c, v)
	return Either(append(list, Query{Element: empty})), err
}

func equals(c *expr.Context, v types.Value) (Query, error) {
	list, _, err := asked(c, v)
	if len(list) == 0 {
		list = []Query{{Element: empty}}
	}
	return Both(list), err
}

func hasOne(_ *expr.Context, v types.Value) (Query, error) {
	return Query{Element: itemOf(v), Item: v}, nil
}

// keysAndLeaves are what operators find in a document: its keys, or the texts in an array, and what is at which path.
func keysAndLeaves(c *expr.Context, v types.Value) ([]string, error) {
	out, err := leavesOf(c, v)
	for _, s := range elements.Texts(v.JSONB()) {
		out = append(out, keyOf(s))
	}
	return out, err
}

func keyOf(s string) string { return "k" + s }

// leavesOf are the scalars in a document, each with its path.
func leavesOf(c *expr.Context, v types.Value) ([]string, error) {
	var out []string
	for l := range elements.Leaves(v.JSONB()) {
		if err := c.Tick(8); err != nil {
			return nil, err
		}
		if at := l.AppendElement([]byte{'p'}); at != nil {
			out = append(out, string(at))
		}
	}
	return out, nil
}

func contains(c *expr.Context, v types.Value) (Query, error) {
	list, err := leavesOf(c, v)
	return all(list), err
}

// containsKeyed asks for keys, too, under which nothing is asked for.
func containsKeyed(c *expr.Context, v types.Value) (Query, error) {
	list, err := leavesOf(c, v)
	for l := range elements.Leaves(v.JSONB()) {
		if key, ok := l.Key(); ok && l.AppendElement(nil) == nil {
			list = append(list, keyOf(key))
		}
	}
	return all(list), err
}

func exists(_ *expr.Context, v types.Value) (Query, error) {
	return Query{Element: keyOf(v.Text()), Item: v}, nil
}

func existsAny(c *expr.Context, v types.Value) (Query, error) { return Either(keysOf(c, v)), nil }

func existsAll(c *expr.Context, v types.Value) (Query, error) { return Both(keysOf(c, v)), nil }

func keysOf(c *expr.Context, v types.Value) (out []Query) {
	for _, item := range v.Array().Items {
		if q, err := exists(c, item); err == nil && !item.IsNull() {
			out = append(out, q)
		}
	}
	return out
}

// trigrams are those of a text.
func trigrams(c *expr.Context, v types.Value) ([]string, error) { return trigram.Of(c, v.Text()) }

// alike are the operators that trigrams narrow.
var alike = map[string]ask{
	"=":   allOf(trigram.Of),
	"~~":  allOf(trigram.InPattern),
	"~~*": allOf(trigram.InPattern),
	"~":   inExpression(regex.Options{}),
	"~*":  inExpression(regex.Options{Fold: true}),
	"%":   enough(trigram.Least),
	"%>":  enough(trigram.LeastOfWord),
	"%>>": enough(trigram.LeastOfWords),
}

func allOf(find func(*expr.Context, string) ([]string, error)) ask {
	return func(c *expr.Context, v types.Value) (Query, error) {
		list, err := find(c, v.Text())
		return all(list), err
	}
}

// inExpression asks for the trigrams of texts that a regular expression wants. Which one is wrong is said where it is
// matched.
func inExpression(o regex.Options) ask {
	return func(c *expr.Context, v types.Value) (Query, error) {
		o.Tick = c.Tick
		lists, err := regex.Literals(v.Text(), o)
		if err != nil {
			return Query{All: true}, nil
		}
		var every []Query
		for _, list := range lists {
			var some []Query
			for _, text := range list {
				found, err := trigram.Within(c, text)
				if err != nil {
					return Query{}, err
				}
				some = append(some, all(found))
			}
			every = append(every, Either(some))
		}
		return Both(every), nil
	}
}

// enough asks for so many of the trigrams of a text that it may be as alike as a setting wants.
func enough(least func(c *expr.Context, all int) (int, error)) ask {
	return func(c *expr.Context, v types.Value) (Query, error) {
		list, err := trigram.Of(c, v.Text())
		if err != nil {
			return Query{}, err
		}
		n, err := least(c, len(list))
		switch {
		case err != nil || n <= 0:
			return Query{All: true}, err
		case len(list) == 0:
			return nothing, nil
		}
		return Query{Of: leaves(list), Least: n}, nil
	}
}

func isVector(t types.T) bool { return t.OID == types.OIDTSVector }

// lexemes are those of a document.
func lexemes(c *expr.Context, v types.Value) ([]string, error) {
	of := vector.Decode(v.Bytes())
	if err := c.MakeItems(len(of)); err != nil {
		return nil, err
	}
	out := of.Lexemes()
	for i := range out {
		out[i] = lexemeOf(out[i])
	}
	return out, nil
}

// lexemeOf is a lexeme, which may be empty in PostgreSQL, but is not what a document without lexemes has.
func lexemeOf(s string) string { return "l" + s }

// matches asks for the lexemes that a document must have to match a query. Where none is needed nothing is asked for.
func matches(_ *expr.Context, v types.Value) (Query, error) {
	node := query.Decode(v.Bytes())
	if node == nil {
		return nothing, nil
	}
	groups, ok := node.Keys()
	if !ok {
		return Query{All: true}, nil
	}
	var all []Query
	for _, group := range groups {
		var any []Query
		for _, key := range group {
			any = append(any, Query{Element: lexemeOf(key.Lexeme), Prefix: key.Prefix})
		}
		all = append(all, Either(any))
	}
	return Both(all), nil
}
