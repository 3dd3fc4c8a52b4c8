package routine

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/sqlerr"
	"zproxy/types"
)

// CheckInternal checks that there is what a function in language internal says that it is.
func CheckInternal(f *catalog.Function) error {
	switch {
	case len(builtin.WithSource(f.Body)) == 0:
		return sqlerr.New(sqlerr.UndefinedFunction, "there is no built-in function named \"%s\"", f.Body)
	case builtIn(f) == nil:
		return sqlerr.Unsupported("a function in language internal with other types than those of %q", f.Body)
	}
	return nil
}

// Internal is what a call of a function in language internal returns, which needs no session. A built-in function that
// knows no NULLs makes NULL of them.
func Internal(c *expr.Context, call expr.RoutineCall) expr.Set {
	fn := builtIn(call.Of.(*catalog.Function))
	if fn.Rows != nil {
		if !fn.NotStrict && slices.ContainsFunc(call.Args, types.Value.IsNull) {
			return expr.SetOf(nil)
		}
		return fn.Rows(c, call.Args)
	}
	return func(yield func(types.Row, error) bool) {
		e := expr.Call{Fn: fn, T: call.Result}
		for i, v := range call.Args {
			e.Args = append(e.Args, expr.Const{Value: v, T: call.Types[i]})
		}
		v, err := e.Eval(c, nil)
		yield(types.Row{v}, err)
	}
}

// single is the only value that a call of a function in language internal returns.
func single(c *expr.Context, call expr.RoutineCall) (types.Value, error) {
	for row, err := range Internal(c, call) {
		if err != nil {
			return types.Null, err
		}
		return row[0], nil
	}
	return types.Null, nil
}

// builtIn is the built-in function that one in language internal is, nil: none takes and returns values as its types
// have them.
func builtIn(f *catalog.Function) *expr.Function {
	for _, fn := range builtin.WithSource(f.Body) {
		if stands(f, fn) {
			return fn
		}
	}
	return nil
}

// stands says whether the values of a built-in function are held as those of a function of the catalog are.
func stands(f *catalog.Function, fn *expr.Function) bool {
	args := f.ArgTypes()
	if len(args) != len(fn.Args) || fn.Variadic || fn.AnyArgs || f.Set != (fn.Rows != nil) || f.Procedure {
		return false
	}
	for i, t := range args {
		if !heldAs(t, fn.Args[i]) {
			return false
		}
	}
	return heldAs(f.Result.Number(), fn.Result)
}

// heldAs says whether values of a type are those of another one, which may stand for any types.
func heldAs(t, as types.OID) bool {
	text := func(oid types.OID) bool { return types.InfoOf(oid).Kind == types.KindText }
	return t == as || IsPolymorphic(as) || text(t) && text(as)
}
