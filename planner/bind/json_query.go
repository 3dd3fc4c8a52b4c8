package bind

import (
	"zproxy/expr"
	"zproxy/expr/builtin/json"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// jsonQuery is what a path finds, coerced to the type that is returned.
func (m maker) jsonQuery(f *analyze.JSONQuery[expr.Expr]) (expr.Expr, error) {
	tree, base := f.Tree, f.T.Base()
	whole := base.OID == types.OIDJSON || base.OID == types.OIDJSONB
	out := expr.JSONQuery{Op: tree.Name, Args: f.Args, Wrapper: tree.Wrapper, Omits: tree.Omits,
		Whole: whole, Column: tree.Column, Find: json.Find, T: f.T}
	for _, v := range tree.Passing {
		out.Names = append(out.Names, v.Name)
	}
	var err error
	if out.OnEmpty, err = jsonBehavior(f.OnEmpty.Word, f.OnEmpty.Value, tree.OnEmpty); err != nil {
		return nil, err
	}
	if out.OnError, err = jsonBehavior(f.OnError.Word, f.OnError.Value, tree.OnError); err != nil {
		return nil, err
	}
	out.Coerce, err = m.jsonCoercion(&out)
	return out, err
}

// jsonBehavior is a value without anything of the row.
func jsonBehavior(word string, value expr.Expr, tree *ast.JSONBehavior) (expr.JSONBehavior, error) {
	out := expr.JSONBehavior{Word: word, Value: value}
	if word != "DEFAULT" {
		return out, nil
	}
	var wrong string
	expr.Any(value, func(x expr.Expr) bool {
		switch x.(type) {
		case expr.Column, expr.Outer:
			wrong = "DEFAULT expression must not contain column references"
		case expr.Subquery:
			wrong = "can only specify a constant, non-aggregate function, or operator expression for DEFAULT"
		}
		return wrong != ""
	})
	if wrong != "" {
		return out, sqlerr.New(sqlerr.DatatypeMismatch, "%s", wrong).At(int(analyze.Start(tree.Default)))
	}
	return out, nil
}

// jsonCoercion makes of the item that is found a value of the type that is returned: by its text, or part by part.
func (m maker) jsonCoercion(q *expr.JSONQuery) (expr.Expr, error) {
	base := q.T.Base()
	from := types.JSONB
	if q.Omits || q.Op == "JSON_VALUE" && !q.Whole {
		from = types.Text
	}
	if q.Op == "JSON_EXISTS" {
		from = types.Bool
	}
	item := expr.Expr(expr.Column{Index: 0, Name: "item", T: from})
	switch {
	case from.OID == q.T.OID && q.T.Mod < 0 && q.T.Domain == nil:
		return nil, nil
	case from.OID == types.OIDBool:
		item = expr.Cast{Arg: item, To: base, Fn: json.Exists}
	case from.OID == types.OIDJSONB && !q.Whole:
		item = expr.Cast{Arg: item, To: base, Fn: json.Populate}
	default:
		item = expr.Cast{Arg: item, To: base, Fn: json.Read}
	}
	return m.Constrained(item, q.T)
}
