package session

import (
	"context"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// alterIndex runs ALTER INDEX i ON t ACTIVE | DISABLED.
func (s *Session) alterIndex(context.Context, *ast.AlterIndex, Client) error {
	return sqlerr.Unsupported("ALTER INDEX")
}

// buildIndex runs BUILD INDEX.
func (s *Session) buildIndex(context.Context, *ast.BuildIndex, Client) error {
	return sqlerr.Unsupported("BUILD INDEX")
}

// reindex runs REINDEX.
func (s *Session) reindex(context.Context, *ast.Reindex, Client) error {
	return sqlerr.Unsupported("REINDEX")
}
