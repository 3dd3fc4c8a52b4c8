package parser

import "zproxy/parser/ast"

type lifted struct {
	primary      []ast.KeyPart
	primaryPos   ast.Pos
	nullFiltered bool
}

func (l lifted) order(key []ast.KeyPart) []ast.KeyPart { return key }

func lift(s source) (source, bool)               { return s, false }
func mysql(s source) ([]ast.Parsed, bool, error) { return nil, false, nil }
