package parser

import (
	"fmt"

	"zproxy/parser/ast"
)

// Expression reads an expression that the catalog keeps as text.
func Expression(text string) (ast.Expr, error) {
	list, err := Parse("SELECT " + text)
	if err != nil {
		return nil, fmt.Errorf("stored expression %q: %w", text, err)
	}
	return list[0].Statement.(*ast.Select).Targets[0].Expr, nil
}

// Query reads the query of a view that the catalog keeps as text.
func Query(text string) (*ast.Select, error) {
	list, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("stored query %q: %w", text, err)
	}
	return list[0].Statement.(*ast.Select), nil
}

// Key reads a primary key and a PARTITION BY, if it is not empty, that the catalog keeps as texts: what stands behind
// these words in CREATE TABLE.
func Key(key, by string) (*ast.CreateTable, error) {
	text := "CREATE TABLE t (a int, PRIMARY KEY " + key + ")"
	if by != "" {
		text += " PARTITION BY " + by
	}
	list, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("stored key %q: %w", text, err)
	}
	t, ok := list[0].Statement.(*ast.CreateTable)
	if !ok || len(list) > 1 || len(t.Columns) > 1 || len(t.PrimaryKey) == 0 {
		return nil, fmt.Errorf("stored key %q is none", text)
	}
	return t, nil
}
