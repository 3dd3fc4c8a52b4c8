package json

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
)

// jsonpathFunctions query a jsonb by a jsonpath. The ones with _tz compare moments with a zone to others, by
// the zone of the session. They compute with exact numbers, as jsonb does, and say what PostgreSQL 15 says; a library
// that computes with float64 would not.
var jsonpathFunctions = slices.Concat(
	[]*expr.Function{
		{Name: "jsonb_path_exists_opr", Operator: "@?", Args: pg.Sig{pg.JSONB, pg.JSONPath}, Result: pg.Boolean, Doc: "Whether a path finds anything.", Fn2: overDocument((*pathCall).exists)},
		{Name: "jsonb_path_match_opr", Operator: "@@", Args: pg.Sig{pg.JSONB, pg.JSONPath}, Result: pg.Boolean, Doc: "What the predicate of a path says.", Fn2: overDocument((*pathCall).match)},
	},
	jsonpathQueries("", false, expr.Immutable), jsonpathQueries("_tz", true, expr.Stable),
)

func jsonpathQueries(suffix string, zoned bool, volatility expr.Volatility) []*expr.Function {
	all := []*expr.Function{
		{Name: "jsonb_path_exists", Result: pg.Boolean, Doc: "Whether a path finds anything.", FnN: overPath(zoned, (*pathCall).exists)},
		{Name: "jsonb_path_match", Result: pg.Boolean, Doc: "What the predicate of a path says.", FnN: overPath(zoned, (*pathCall).match)},
		{Name: "jsonb_path_query", Result: pg.JSONB, Doc: "What a path finds.", Rows: pathQuery(zoned)},
		{Name: "jsonb_path_query_array", Result: pg.JSONB, Doc: "What a path finds, as an array.", FnN: overPath(zoned, (*pathCall).queryArray)},
		{Name: "jsonb_path_query_first", Result: pg.JSONB, Doc: "The first that a path finds.", FnN: overPath(zoned, (*pathCall).queryFirst)},
	}
	for _, f := range all {
		f.Name += suffix
		f.Args, f.Volatility = pg.Sig{pg.JSONB, pg.JSONPath, pg.JSONB, pg.Boolean}, volatility
		f.Params, f.Defaults = []string{"target", "path", "vars", "silent"}, []string{"'{}'", "false"}
	}
	return all
}

// pathCall is a path with what it is evaluated over.
type pathCall struct {
	run    *pathRun
	path   *jsonpath.Path
	silent bool
}

// pathAnswerer makes a value of what a path finds.
type pathAnswerer func(*pathCall) (types.Value, error)

// overDocument is an operator of what a path finds in a document.
func overDocument(f pathAnswerer) expr.Function2 {
	of := overPath(false, f)
	return func(c *expr.Context, a, b types.Value) (types.Value, error) { return of(c, []types.Value{a, b}) }
}

// overPath is a function of what a path finds.
func overPath(zoned bool, f pathAnswerer) func(*expr.Context, []types.Value) (types.Value, error) {
	return func(c *expr.Context, args []types.Value) (types.Value, error) {
		p, err := newPathCall(c, args, zoned)
		if err != nil {
			return types.Null, err
		}
		return f(p)
	}
}

func newPathCall(c *expr.Context, args []types.Value, zoned bool) (*pathCall, error) {
	call := &pathCall{path: args[1].JSONPath(), silent: true}
	root := args[0].JSONB()
	call.run = &pathRun{context: c, strict: call.path.Strict, lenient: !call.path.Strict, root: root, current: root,
		zoned: zoned}
	if len(args) < 4 {
		return call, nil
	}
	call.silent, call.run.vars = args[3].Bool(), args[2].JSONB()
	if call.run.vars.Kind != json.Object {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "\"vars\" argument is not an object").
			WithDetail("Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.")
	}
	return call, nil
}

// each calls yield with what is found. It says whether an error was passed over, before
// which something may have been found.
func (p *pathCall) each(yield found) (failed bool, err error) {
	err = p.run.eval(p.path.Root, p.run.root, !p.path.Strict, func(j *json.Value) error {
		if _, moment := momentTypes[j.Kind]; moment {
			j = &json.Value{Kind: json.String, Text: j.Text}
		}
		return yield(j)
	})
	data, failed := err.(pathError)
	switch {
	case err == errEnough:
		return false, nil
	case !failed:
		return false, err
	case p.silent:
		return true, nil
	}
	return true, data.error
}

func (p *pathCall) all() (items []json.Value, err error) {
	_, err = p.each(func(j *json.Value) error {
		items = append(items, *j)
		return nil
	})
	return items, err
}

// exists is NULL when a silent call has an error. In strict mode all is evaluated, as
// an error may come after what is found.
func (p *pathCall) exists() (types.Value, error) {
	p.run.probing = !p.path.Strict
	any := false
	failed, err := p.each(func(*json.Value) error {
		any = true
		if p.path.Strict {
			return nil
		}
		return errEnough
	})
	if err != nil || failed {
		return types.Null, err
	}
	return types.NewBool(any), nil
}

func (p *pathCall) match() (types.Value, error) {
	items, err := p.all()
	switch {
	case err != nil:
		return types.Null, err
	case len(items) == 1 && items[0].Kind == json.Bool:
		return types.NewBool(items[0].Bool), nil
	case len(items) == 1 && items[0].Kind == json.Null, p.silent:
		return types.Null, nil
	}
	return types.Null, sqlerr.New(sqlerr.SingletonSQLJSONItemRequired, "single boolean result is expected")
}

// pathQuery gives what a path finds as rows.
func pathQuery(zoned bool) func(*expr.Context, []types.Value) expr.Set {
	return func(c *expr.Context, args []types.Value) expr.Set {
		return func(yield func(types.Row, error) bool) {
			p, err := newPathCall(c, args, zoned)
			var items []json.Value
			if err == nil {
				items, err = p.all()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			row := make(types.Row, 1)
			for i := range items {
				row[0], err = types.MakeJSONB(&items[i])
				if !yield(row, err) || err != nil {
					return
				}
			}
		}
	}
}

func (p *pathCall) queryArray() (types.Value, error) {
	items, err := p.all()
	if err != nil {
		return types.Null, err
	}
	return jsonArray(items)
}

func (p *pathCall) queryFirst() (types.Value, error) {
	items, err := p.all()
	if err != nil || len(items) == 0 {
		return types.Null, err
	}
	return types.MakeJSONB(&items[0])
}
