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
