package parser

import (
	"strconv"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// settingAlters converts the commands of ALTER TABLE that say how PostgreSQL is to keep a table or a column.
type settingAlters struct{ *converter }

// command is such a command; it says false of others.
func (c settingAlters) command(n *pg.AlterTableCmd) (ast.AlterCommand, bool) {
	out := ast.AlterCommand{Kind: ast.SetColumn, Name: n.GetName(), Pos: -1}
	option := func(name, value string) { out.Options = []ast.Option{{Name: name, Value: value, Pos: -1}} }
	switch n.GetSubtype() {
	case pg.AlterTableType_AT_SetStatistics:
		option(ast.StatisticsOption, c.optionValue(n.Def))
		if n.Num != 0 {
			out.Options = append(out.Options,
				ast.Option{Name: ast.NumberOption, Value: strconv.Itoa(int(n.Num)), Pos: -1})
		}
	case pg.AlterTableType_AT_SetStorage:
		option(ast.StorageOption, c.optionValue(n.Def))
	case pg.AlterTableType_AT_SetCompression:
		option(ast.CompressionOption, c.optionValue(n.Def))
	case pg.AlterTableType_AT_SetOptions:
		out.Options = c.options(n.Def.GetList().GetItems())
	case pg.AlterTableType_AT_ResetOptions:
		for _, o := range c.options(n.Def.GetList().GetItems()) {
			if o.Value != "" {
				c.fail(sqlerr.New(sqlerr.SyntaxError, "RESET must not include values for parameters"))
			}
			out.Options = append(out.Options, ast.Option{Name: o.Name, Pos: o.Pos})
		}
	default:
		return c.ofTable(n, out)
	}
	c.plain(n)
	return out, true
}

// ofTable is a command about the table.
func (c settingAlters) ofTable(n *pg.AlterTableCmd, out ast.AlterCommand) (ast.AlterCommand, bool) {
	out.Kind = ast.Nothing
	switch n.GetSubtype() {
	case pg.AlterTableType_AT_ClusterOn:
		out.Kind = ast.ClusterOn
		c.says(true, "CLUSTER ON")
	case pg.AlterTableType_AT_DropCluster:
		out.Kind = ast.ClusterOn
	case pg.AlterTableType_AT_ReplicaIdentity:
		identity := n.Def.GetReplicaIdentityStmt()
		if out.Name = identity.GetName(); out.Name != "" {
			out.Kind = ast.NameIndex
		}
		c.says(identity.GetIdentityType() != "d", "REPLICA IDENTITY")
		c.says(identity.GetIdentityType() == "d", "REPLICA IDENTITY DEFAULT")
	case pg.AlterTableType_AT_SetLogged:
		c.says(true, "SET LOGGED")
	case pg.AlterTableType_AT_SetUnLogged:
		c.says(true, "UNLOGGED")
	case pg.AlterTableType_AT_DropOids:
		c.says(true, "SET WITHOUT OIDS")
	case pg.AlterTableType_AT_SetTableSpace:
		c.tablespace(n.Name, n)
	case pg.AlterTableType_AT_SetAccessMethod:
		c.accessMethod(n.Name, n)
	default:
		return out, false
	}
	c.plain(n)
	return out, true
}

// plain refuses what such a command has not.
func (c settingAlters) plain(n *pg.AlterTableCmd) {
	named, defined, numbered := false, false, n.Subtype == pg.AlterTableType_AT_SetStatistics
	switch n.GetSubtype() {
	case pg.AlterTableType_AT_SetStatistics, pg.AlterTableType_AT_SetStorage, pg.AlterTableType_AT_SetCompression,
		pg.AlterTableType_AT_SetOptions, pg.AlterTableType_AT_ResetOptions:
		named, defined = true, true
	case pg.AlterTableType_AT_ReplicaIdentity:
		defined = true
	case pg.AlterTableType_AT_ClusterOn, pg.AlterTableType_AT_SetTableSpace, pg.AlterTableType_AT_SetAccessMethod:
		named = true
	}
	c.refuse(n.Name != "" && !named || n.Def != nil && !defined || n.Num != 0 && !numbered || n.MissingOk ||
		cascades(n.Behavior), n,
		"a clause of this ALTER TABLE")
}
