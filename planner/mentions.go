package planner

import (
	"reflect"
	"slices"

	"zproxy/parser/ast"
)

// hasOuterJoin says whether a FROM list has a join that makes rows of NULLs.
func hasOuterJoin(items []ast.From) bool {
	return slices.ContainsFunc(items, func(item ast.From) bool {
		j, ok := item.(*ast.FromJoin)
		return ok && (j.Kind != ast.InnerJoin || hasOuterJoin([]ast.From{j.Left, j.Right}))
	})
}

// mentions says whether the expressions of a syntax tree may name a relation as a whole, as t or
// t.*; a column of that name counts, too.
func mentions(tree any, name string) bool { return mentioned(reflect.ValueOf(tree), name) }

func mentioned(v reflect.Value, name string) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return false
		}
		switch x := v.Interface().(type) {
		case *ast.Column:
			return len(x.Parts) == 1 && x.Parts[0] == name
		case *ast.Star:
			return len(x.Table) > 0 && x.Table[len(x.Table)-1] == name
		}
		return mentioned(v.Elem(), name)
	case reflect.Slice:
		for i := range v.Len() {
			if mentioned(v.Index(i), name) {
				return true
			}
		}
	case reflect.Struct:
		if t, ok := v.Interface().(ast.Target); ok {
			if _, star := t.Expr.(*ast.Star); star {
				return false // which lists the columns
			}
		}
		for i := range v.NumField() {
			if mentioned(v.Field(i), name) {
				return true
			}
		}
	}
	return false
}
