package analyze

import (
	"slices"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// jsonQuery is what a path finds in a document.
func (a Analysis[E]) jsonQuery(e *ast.JSONQuery) (out E, err error) {
	f := &JSONQuery[E]{Tree: e}
	if f.T, err = jsonReturned(a, e); err != nil {
		return out, err
	}
	if e.Column != "" && e.Name == "JSON_VALUE" && ofParts(f.T) {
		formatted := *e
		formatted.Name = "JSON_QUERY"
		e, f.Tree = &formatted, &formatted
	}
	document, err := jsonDocument(a, e.Context)
	if err != nil {
		return out, err
	}
	path, err := a.make.Expr(e.Path)
	if err != nil {
		return out, err
	}
	at := Start(e.Path)
	as, ok, err := a.Coerce(path, types.Of(types.OIDJSONPath), types.Explicit, at)
	if err != nil {
		return out, err
	}
	if !ok {
		return out, sqlerr.New(sqlerr.DatatypeMismatch, "JSON path expression must be of type jsonpath, not of type %s",
			path.Type().Bare()).At(int(at))
	}
	f.Args = []E{document, as}
	for _, v := range e.Passing {
		value, err := a.Known(v.Value)
		if err != nil {
			return out, err
		}
		f.Args = append(f.Args, value)
	}
	if f.OnEmpty, err = jsonBehavior(a, f, e.OnEmpty, "ON EMPTY"); err != nil {
		return out, err
	}
	if f.OnError, err = jsonBehavior(a, f, e.OnError, "ON ERROR"); err != nil {
		return out, err
	}
	return a.make.Form(f)
}

// ofParts says whether a type is made of others, or is JSON: values of it are made of the parts of an item.
func ofParts(t types.T) bool {
	t = t.Base()
	return t.OID == types.OIDJSON || t.OID == types.OIDJSONB || t.OID.IsRow() || t.Kind() == types.KindArray
}

// wrongBehavior is the error for words that may not stand before ON EMPTY or ON ERROR.
func wrongBehavior(e *ast.JSONQuery, only, clause string) *sqlerr.Error {
	if e.Column == "" {
		return sqlerr.New(sqlerr.SyntaxError, "invalid %s behavior", clause).
			WithDetail("Only "+only+"%s().", clause, e.Name)
	}
	kind := map[string]string{"JSON_EXISTS": "EXISTS", "JSON_VALUE": "scalar", "JSON_QUERY": "formatted"}[e.Name]
	return sqlerr.New(sqlerr.SyntaxError, "invalid %s behavior for column \"%s\"", clause, e.Column).
		WithDetail("Only "+only+"%s columns.", clause, kind)
}

// jsonReturned is the type of what a function returns.
func jsonReturned[E Typed](a Analysis[E], e *ast.JSONQuery) (t types.T, err error) {
	if e.Omits && e.Wrapper != "" {
		return t, sqlerr.New(sqlerr.SyntaxError,
			"SQL/JSON QUOTES behavior must not be specified when WITH WRAPPER is used").At(int(e.Pos))
	}
	if e.Format != nil && e.Name != "JSON_QUERY" {
		return t, sqlerr.New(sqlerr.SyntaxError, "cannot specify FORMAT JSON in RETURNING clause of %s()", e.Name).
			At(int(e.Format.Pos))
	}
	if e.Returning == nil {
		own := map[string]types.T{"JSON_EXISTS": types.Bool, "JSON_VALUE": types.Text, "JSON_QUERY": types.JSONB}
		return own[e.Name], nil
	}
	if t, err = a.make.TypeNamed(*e.Returning); err != nil {
		return t, err
	}
	return t, returnable(&ast.JSONOutput{Type: *e.Returning, Format: e.Format}, t)
}

// jsonDocument is the document of a path.
func jsonDocument[E Typed](a Analysis[E], e *ast.JSONInput) (out E, err error) {
	arg, err := a.make.Expr(e.Arg)
	if err != nil {
		return out, err
	}
	if e.Format != nil || arg.Type().Base().OID == types.OIDBytea {
		if arg, err = a.jsonInput(e); err != nil {
			return out, err
		}
	}
	return a.Explicit(arg, types.JSONB, Start(e.Arg))
}

// behaviors are the words that may stand before ON EMPTY and ON ERROR, and how an error lists them. The first is what
// is so without a clause.
var behaviors = map[string]struct {
	words []string
	only  string
}{
	"JSON_EXISTS": {[]string{"FALSE", "ERROR", "TRUE", "UNKNOWN"},
		"ERROR, TRUE, FALSE, or UNKNOWN is allowed in %s for "},
	"JSON_VALUE": {[]string{"NULL", "ERROR", "DEFAULT"},
		"ERROR, NULL, or DEFAULT expression is allowed in %s for "},
	"JSON_QUERY": {[]string{"NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT", "DEFAULT"},
		"ERROR, NULL, EMPTY ARRAY, EMPTY OBJECT, or DEFAULT expression is allowed in %s for "},
}

// jsonBehavior is ON EMPTY or ON ERROR.
func jsonBehavior[E Typed](a Analysis[E], f *JSONQuery[E], b *ast.JSONBehavior, clause string) (
	out replacement[E], err error) {
	may, pos := behaviors[f.Tree.Name], ast.Pos(-1)
	word := may.words[0]
	if b != nil {
		word, pos = b.Word, b.Pos
		if !slices.Contains(may.words, word) {
			return out, wrongBehavior(f.Tree, may.only, clause).At(int(pos))
		}
	}
	if word != may.words[0] {
		out.Word = word
	}
	document := func(kind json.Kind) E {
		return a.make.Constant(types.NewJSONB(&json.Value{Kind: kind}), types.JSONB, pos)
	}
	var value E
	context := types.Explicit
	switch word {
	case "ERROR":
		return out, nil
	case "TRUE", "FALSE":
		value = a.make.Constant(types.NewBool(word == "TRUE"), types.Bool, pos)
	case "NULL", "UNKNOWN":
		value = a.make.Constant(types.Null, f.T.Base(), pos)
	case "EMPTY ARRAY":
		value = document(json.Array)
	case "EMPTY OBJECT":
		value = document(json.Object)
	case "DEFAULT":
		if value, err = a.make.Expr(b.Default); err != nil {
			return out, err
		}
		pos = Start(b.Default)
		if f.T.Mod >= 0 {
			context = types.Implicit
		}
	}
	made, ok, err := a.Coerce(value, f.T, context, pos)
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.CannotCoerce, "cannot cast behavior expression of type %s to %s", value.Type().Bare(),
			f.T.Bare()).At(int(pos))
	}
	out.Value = made
	return out, err
}
