package session

import (
	"context"
	"slices"

	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
)

// createSchema runs CREATE SCHEMA and then the statements in it, for which names without a schema are in the new one,
// as the role that the schema is for.
func (s utilities) createSchema(ctx context.Context, tree *ast.CreateSchema, c Client) error {
	definer := s.reach.definer(c)
	if len(tree.Elements) == 0 {
		return definer.Run(ctx, tree)
	}
	name, owner, err := ddl.NewSchema(ctx, definer, tree)
	if err != nil {
		return err
	}
	if err := definer.Run(ctx, tree); err != nil {
		return err
	}
	path, role := s.settings.Path, s.settings.Who.Definer
	s.settings.Path = append([]string{name}, slices.Clone(path)...)
	if owner != definer.Role {
		s.settings.Who.Definer = owner
	}
	defer func() { s.settings.Path, s.settings.Who.Definer = path, role }()
	for _, e := range tree.Elements {
		if err := s.redefineOnce(ctx, e, c); err != nil {
			return err
		}
	}
	return nil
}
