package parser

import (
	"reflect"
	"strconv"

	"zproxy/parser/ast"
)

// Fits says whether the statement of the text that was read last is the one of its shape with the literals in place of
// the parameters. The grammar has read both: so tokens that were taken for something else do no harm.
func (s *Shape) Fits(sent, shape ast.Statement) bool {
	return s.same(reflect.ValueOf(sent), reflect.ValueOf(shape))
}

// same compares two parts of trees, but for where they stand.
func (s *Shape) same(sent, shape reflect.Value) bool {
	if sent.IsValid() != shape.IsValid() {
		return false
	}
	if !sent.IsValid() {
		return true
	}
	if sent.Type() != shape.Type() {
		literal, ok := sent.Interface().(*ast.Literal)
		param, isParam := shape.Interface().(*ast.Param)
		return ok && isParam && s.lifts(param.Number, literal)
	}
	switch sent.Kind() {
	case reflect.Pointer, reflect.Interface:
		if sent.IsNil() || shape.IsNil() {
			return sent.IsNil() && shape.IsNil()
		}
		return s.same(sent.Elem(), shape.Elem())
	case reflect.Struct:
		for i := range sent.NumField() {
			if sent.Field(i).Type() != reflect.TypeFor[ast.Pos]() && !s.same(sent.Field(i), shape.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if sent.Len() != shape.Len() || sent.IsNil() != shape.IsNil() {
			return false
		}
		for i := range sent.Len() {
			if !s.same(sent.Index(i), shape.Index(i)) {
				return false
			}
		}
		return true
	}
	return sent.Equal(shape)
}

// lifts says whether a parameter stands for a literal.
func (s *Shape) lifts(number int, l *ast.Literal) bool {
	if number < 1 || number > len(s.Literals) {
		return false
	}
	lifted := s.Literals[number-1]
	switch l.Kind {
	case ast.LiteralString:
		return lifted.Kind == LiftedString && lifted.Text == l.Text
	case ast.LiteralInt:
		return (lifted.Kind == LiftedInt4 || lifted.Kind == LiftedInt8) && sameNumber(lifted.Text, l.Text)
	case ast.LiteralNumeric:
		return lifted.Kind == LiftedNumeric && lifted.Text == l.Text
	}
	return false
}

// sameNumber compares integers that may have leading zeros.
func sameNumber(a, b string) bool {
	x, err := strconv.ParseInt(a, 10, 64)
	y, err2 := strconv.ParseInt(b, 10, 64)
	return err == nil && err2 == nil && x == y
}
