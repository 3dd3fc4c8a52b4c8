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

// jsonpathFunctions query a jsonb by a jsonpath. The ones with _tz differ only in
// .datetime(). They compute with
// exact numbers, as jsonb does, and say what PostgreSQL 15 says; a library that computes with float64 would not.
var jsonpathFunctions = slices.Concat(
	[]*expr.Function{
		{Name: "jsonb_path_exists_opr", Operator: "@?", Args: pg.Sig{pg.JSONB, pg.JSONPath}, Result: pg.Boolean, Doc: "Whether a path finds anything.", Fn2: pathExistsOperator},
		{Name: "jsonb_path_match_opr", Operator: "@@", Args: pg.Sig{pg.JSONB, pg.JSONPath}, Result: pg.Boolean, Doc: "What the predicate of a path says.", Fn2: pathMatchOperator},
	},
	jsonpathQueries("", expr.Immutable), jsonpathQueries("_tz", expr.Stable),
)

func jsonpathQueries(suffix string, volatility expr.Volatility) []*expr.Function {
	all := []*expr.Function{
		{Name: "jsonb_path_exists", Result: pg.Boolean, Doc: "Whether a path finds anything.", FnN: pathExists},
		{Name: "jsonb_path_match", Result: pg.Boolean, Doc: "What the predicate of a path says.", FnN: pathMatch},
		{Name: "jsonb_path_query", Result: pg.JSONB, Doc: "What a path finds.", Rows: pathQuery},
		{Name: "jsonb_path_query_array", Result: pg.JSONB, Doc: "What a path finds, as an array.", FnN: pathQueryArray},
		{Name: "jsonb_path_query_first", Result: pg.JSONB, Doc: "The first that a path finds.", FnN: pathQueryFirst},
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

func newPathCall(c *expr.Context, args []types.Value) (*pathCall, error) {
	call := &pathCall{path: args[1].JSONPath(), silent: true}
	root := args[0].JSONB()
	call.run = &pathRun{context: c, strict: call.path.Strict, lenient: !call.path.Strict, root: root, current: root}
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
	err = p.run.eval(p.path.Root, p.run.root, !p.path.Strict, yield)
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

func pathExistsOperator(c *expr.Context, a, b types.Value) (types.Value, error) {
	return pathExists(c, []types.Value{a, b})
}

// pathExists is NULL when a silent call has an error. In strict mode all is evaluated, as
// an error may come after what is found.
func pathExists(c *expr.Context, args []types.Value) (types.Value, error) {
	p, err := newPathCall(c, args)
	if err != nil {
		return types.Null, err
	}
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

func pathMatchOperator(c *expr.Context, a, b types.Value) (types.Value, error) {
	return pathMatch(c, []types.Value{a, b})
}

func pathMatch(c *expr.Context, args []types.Value) (types.Value, error) {
	p, err := newPathCall(c, args)
	if err != nil {
		return types.Null, err
	}
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

func pathQuery(c *expr.Context, args []types.Value) expr.Set {
	return func(yield func(types.Row, error) bool) {
		p, err := newPathCall(c, args)
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

func pathQueryArray(c *expr.Context, args []types.Value) (types.Value, error) {
	p, err := newPathCall(c, args)
	if err != nil {
		return types.Null, err
	}
	items, err := p.all()
	if err != nil {
		return types.Null, err
	}
	return jsonArray(items)
}

func pathQueryFirst(c *expr.Context, args []types.Value) (types.Value, error) {
	p, err := newPathCall(c, args)
	if err != nil {
		return types.Null, err
	}
	items, err := p.all()
	if err != nil || len(items) == 0 {
		return types.Null, err
	}
	return types.MakeJSONB(&items[0])
}
