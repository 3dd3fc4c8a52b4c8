package session

import (
	"context"
	"slices"

	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// createSchema runs CREATE SCHEMA and then the statements in it, for which names without a schema are in the new one.
func (s utilities) createSchema(ctx context.Context, tree *ast.CreateSchema, c Client) error {
	definer := s.reach.definer(c)
	if len(tree.Elements) == 0 {
		return definer.Run(ctx, tree)
	}
	name, owner, err := ddl.NewSchema(ctx, definer, tree)
	switch {
	case err != nil:
		return err
	case owner != definer.Role:
		return sqlerr.Unsupported("a statement in CREATE SCHEMA for another role")
	}
	if err := definer.Run(ctx, tree); err != nil {
		return err
	}
	path := s.settings.Path
	s.settings.Path = append([]string{name}, slices.Clone(path)...)
	defer func() { s.settings.Path = path }()
	for _, e := range tree.Elements {
		if err := s.redefineOnce(ctx, e, c); err != nil {
			return err
		}
	}
	return nil
}
