package parser

import (
	"fmt"
	"reflect"
	"strings"

	"zproxy/parser/ast"
)

// tree prints every field of a node that is not empty, so that nothing can be forgotten.
// With positions it prints those, too.
type tree struct{ positions bool }

func (p tree) format(v any) string {
	if s, ok := short(v); ok && !p.positions {
		return s
	}
	return p.value(reflect.ValueOf(v))
}

// short is the notation of the leaves.
func short(v any) (string, bool) {
	switch n := v.(type) {
	case *ast.Literal:
		if n.Kind == ast.LiteralString {
			return "'" + n.Text + "'", true
		}
		return []string{"null", "", "int:", "numeric:", "bits:", "bits:"}[n.Kind] + n.Text, true
	case *ast.Column:
		return strings.Join(n.Parts, "."), true
	case *ast.Param:
		return fmt.Sprintf("$%d", n.Number), true
	case *ast.Star:
		return strings.Join(append(n.Table, "*"), "."), true
	case ast.Name:
		return strings.TrimPrefix(n.Schema+"."+n.Name, ".") + map[bool]string{true: " only"}[n.Only], true
	case ast.ColumnName:
		return n.Name, n.Path == nil
	case ast.Option:
		return n.Name + "=" + n.Value, true
	case ast.LiteralKind, ast.NullsOrder, ast.IsWhat, ast.TransactionKind:
		return fmt.Sprint(v), true
	}
	return "", false
}

func (p tree) value(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
			if s, ok := short(v.Interface()); ok && !p.positions {
				return s
			}
		}
		return p.value(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = p.value(v.Index(i))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Struct:
		if s, ok := short(v.Interface()); ok && !p.positions {
			return s
		}
		return p.fields(v)
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v.Interface())
}

func (p tree) fields(v reflect.Value) string {
	out := strings.ToLower(v.Type().Name())
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		isPos := f.Type() == reflect.TypeFor[ast.Pos]()
		if isPos && !p.positions || !isPos && f.IsZero() {
			continue
		}
		if f.Kind() == reflect.Bool {
			out += " " + strings.ToLower(name)
			continue
		}
		out += " " + strings.ToLower(name) + "=" + p.value(f)
	}
	return "(" + out + ")"
}
