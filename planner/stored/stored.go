// Package stored plans the expressions that the catalog keeps as texts with a table: the conditions of its rows and
// of its partial indexes. They say themselves how they were meant, so that no session is asked: work of the process,
// such as the build of an index, goes by them as statements do. What the texts mean is the planner's matter. Read
// Planner, then Indexed.
package stored

import (
	"zproxy/catalog"
	"zproxy/parser"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Planner plans by a catalog and no settings of a session.
func Planner(schema *catalog.Snapshot) *planner.Planner {
	return &planner.Planner{
		Binder:    bind.Binder{Names: bind.Names{Catalog: schema}, Constants: bind.Constants{Env: &types.Env{}}},
		ParseExpr: parser.Expression, ParseQuery: parser.Query,
	}
}

// Indexed is a table with what its partial indexes hold.
func Indexed(schema *catalog.Snapshot, t *catalog.Table) (plan.Indexed, error) {
	return Planner(schema).Indexed(t)
}
