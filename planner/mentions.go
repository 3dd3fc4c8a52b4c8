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
func mentions(tree any, name string) bool {
	return anywhere(reflect.ValueOf(tree), func(n any) bool {
		switch x := n.(type) {
		case *ast.Column:
			return len(x.Parts) == 1 && x.Parts[0] == name
		case *ast.Star:
			return len(x.Table) > 0 && x.Table[len(x.Table)-1] == name
		}
		return false
	})
}

// namesColumn says whether the expressions of a syntax tree may name a column of a relation.
func namesColumn(tree any, name string) bool {
	return anywhere(reflect.ValueOf(tree), func(n any) bool {
		x, ok := n.(*ast.Column)
		return ok && x.Parts[len(x.Parts)-1] == name
	})
}

// anywhere says whether something is true of a column or a star in a syntax tree.
func anywhere(v reflect.Value, is func(any) bool) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return false
		}
		switch x := v.Interface().(type) {
		case *ast.Column, *ast.Star:
			return is(x)
		}
		return anywhere(v.Elem(), is)
	case reflect.Slice:
		for i := range v.Len() {
			if anywhere(v.Index(i), is) {
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
			if anywhere(v.Field(i), is) {
				return true
			}
		}
	}
	return false
}
