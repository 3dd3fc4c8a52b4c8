package parser

import (
	"slices"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// alterTable is ALTER TABLE. OWNER TO stands alone.
func (c *converter) alterTable(n *pg.AlterTableStmt) ast.Statement {
	if c.lifted.onTable != nil && slices.ContainsFunc(n.Cmds, notOnTable) {
		c.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at or near \"ON\"").At(int(c.lifted.on)))
	}
	if len(n.Cmds) == 1 && n.Cmds[0].GetAlterTableCmd().GetSubtype() == pg.AlterTableType_AT_ChangeOwner {
		return c.relationOwner(n, n.Cmds[0].GetAlterTableCmd())
	}
	kind := c.objectKind("ALTER", n.Objtype)
	if kind == ast.TypeObject {
		return userTypes{c}.alterComposite(n)
	}
	if kind == ast.IndexObject && !slices.ContainsFunc(n.Cmds, notOfOptions) {
		return c.indexOptions(n)
	}
	c.refuse(n.Relation.GetAlias() != nil, n.Relation, "an alias of this table")
	out := &ast.AlterTable{Kind: kind, Table: c.relation(n.Relation), Only: !n.Relation.Inh, IfExists: n.MissingOk}
	c.foreign = kind == ast.ForeignObject
	defer func() { c.foreign = false }()
	for _, cmd := range n.Cmds {
		if cmd.GetAlterTableCmd().GetSubtype() == pg.AlterTableType_AT_ChangeOwner {
			out.Owner = c.maybeRole(cmd.GetAlterTableCmd().GetNewowner())
			settingAlters{c}.plain(cmd.GetAlterTableCmd())
			continue
		}
		out.Commands = append(out.Commands, c.alterCommands(out.Table, cmd.GetAlterTableCmd())...)
		out.Actions = append(out.Actions, actions[cmd.GetAlterTableCmd().GetSubtype()])
	}
	return out
}

// indexOptions is ALTER INDEX ... SET, RESET, ATTACH PARTITION and ALTER COLUMN SET STATISTICS.
func (c *converter) indexOptions(n *pg.AlterTableStmt) ast.Statement {
	c.refuse(n.Relation.GetAlias() != nil, n.Relation, "an alias of this index")
	out := &ast.IndexOptions{Index: c.relation(n.Relation), Table: c.lifted.onTable, IfExists: n.MissingOk}
	for _, cmd := range n.Cmds {
		out.Commands = append(out.Commands, c.alterCommands(out.Index, cmd.GetAlterTableCmd())...)
	}
	return out
}

// notOfOptions says whether a command is none that IndexOptions has.
func notOfOptions(cmd *pg.Node) bool {
	return notOnTable(cmd) && cmd.GetAlterTableCmd().GetSubtype() != pg.AlterTableType_AT_AttachPartition
}

// notOnTable says whether a command is none of ALTER INDEX ... ON t.
func notOnTable(cmd *pg.Node) bool {
	t := cmd.GetAlterTableCmd().GetSubtype()
	return t != pg.AlterTableType_AT_SetRelOptions && t != pg.AlterTableType_AT_ResetRelOptions &&
		t != pg.AlterTableType_AT_SetStatistics
}

// relationOwner is ALTER TABLE, VIEW, SEQUENCE or INDEX ... OWNER TO.
func (c *converter) relationOwner(n *pg.AlterTableStmt, cmd *pg.AlterTableCmd) ast.Statement {
	c.refuse(n.Relation.GetAlias() != nil, n.Relation, "an alias of this table")
	c.refuse(cmd.GetNum() != 0 || cmd.Name != "" || cmd.Def != nil || cmd.MissingOk || cascades(cmd.Behavior), n,
		"this form of OWNER TO")
	return &ast.SetOwner{
		Kind: c.objectKind("ALTER", n.Objtype), Name: c.relation(n.Relation), Owner: c.roleName(cmd.Newowner),
		IfExists: n.MissingOk,
	}
}

// alterCommands are the commands that one command of the grammar makes: the constraints of a
// new column become commands of their own.
func (c *converter) alterCommands(table ast.Name, n *pg.AlterTableCmd) []ast.AlterCommand {
	c.refuse(n.GetNewowner() != nil, n.GetNewowner(), "OWNER TO")
	if cmd, ok := (settingAlters{c}).command(n); ok {
		return []ast.AlterCommand{cmd}
	}
	if cmd, ok := (triggers{c}).switched(n); ok {
		return []ast.AlterCommand{cmd}
	}
	c.refuse(n.GetNum() != 0, n, "a column by its number")
	switch n.GetSubtype() {
	case pg.AlterTableType_AT_AddColumn:
		return c.addColumn(table, n)
	case pg.AlterTableType_AT_AddConstraint:
		return c.addConstraint(table, n)
	case pg.AlterTableType_AT_AlterConstraint:
		return foreignKeys{c}.altered(n)
	}
	out := ast.AlterCommand{Name: n.Name, IfExists: n.MissingOk, Cascade: cascades(n.Behavior), Pos: -1}
	switch n.Subtype {
	case pg.AlterTableType_AT_ColumnDefault:
		c.alterDefault(&out, n.Def)
	case pg.AlterTableType_AT_AlterColumnType:
		c.alterType(&out, n.Def.GetColumnDef())
	case pg.AlterTableType_AT_AddIdentity:
		k := n.Def.GetConstraint()
		c.constraintExtras(k)
		out.Kind, out.Identity, out.Options = ast.AddIdentity, identityOf(k.GeneratedWhen), c.sequence(k.GetOptions())
	case pg.AlterTableType_AT_SetIdentity:
		tableClauses{c}.setIdentity(&out, n.Def.GetList().GetItems())
	case pg.AlterTableType_AT_SetRelOptions:
		out.Kind, out.Options = ast.SetOptions, c.storageParameters(n.Def.GetList().GetItems())
	case pg.AlterTableType_AT_ResetRelOptions:
		out.Kind, out.Options = ast.ResetOptions, c.storageNames(n.Def.GetList().GetItems())
	case pg.AlterTableType_AT_GenericOptions, pg.AlterTableType_AT_AlterColumnGenericOptions:
		out.Kind, out.Changes = ast.ChangeOptions, c.optionChanges(n.Def.GetList().GetItems())
	case pg.AlterTableType_AT_AttachPartition, pg.AlterTableType_AT_DetachPartition,
		pg.AlterTableType_AT_DetachPartitionFinalize:
		out.Kind, out.Partition = ast.ChangePartition, partitions{c}.change(n.Def.GetPartitionCmd())
		out.Partition.Detach = n.Subtype != pg.AlterTableType_AT_AttachPartition
		out.Partition.Finalize = n.Subtype == pg.AlterTableType_AT_DetachPartitionFinalize
	case pg.AlterTableType_AT_AddOf:
		out.Kind, out.Column = ast.SetRowType, &ast.ColumnDef{Type: *typedTables{c}.rowType(n.Def.GetTypeName())}
	case pg.AlterTableType_AT_AddInherit, pg.AlterTableType_AT_DropInherit:
		out.Kind, out.Parent = ast.AddParent, c.tableOnly(n.Def.GetRangeVar())
		if n.Subtype == pg.AlterTableType_AT_DropInherit {
			out.Kind = ast.DropParent
		}
	default:
		kind, ok := simpleAlter(n.Subtype)
		c.refuse(!ok, n, alterName(n.Subtype))
		c.refuse(n.Def != nil, n, "a definition in this ALTER TABLE")
		out.Kind = kind
	}
	return []ast.AlterCommand{out}
}

// simpleAlter is the kind of a command that says no more than a name.
func simpleAlter(t pg.AlterTableType) (ast.AlterKind, bool) {
	switch t {
	case pg.AlterTableType_AT_DropColumn:
		return ast.DropColumn, true
	case pg.AlterTableType_AT_SetNotNull:
		return ast.SetNotNull, true
	case pg.AlterTableType_AT_DropNotNull:
		return ast.DropNotNull, true
	case pg.AlterTableType_AT_DropConstraint:
		return ast.DropConstraint, true
	case pg.AlterTableType_AT_DropExpression:
		return ast.DropExpression, true
	case pg.AlterTableType_AT_DropIdentity:
		return ast.DropIdentity, true
	case pg.AlterTableType_AT_DropOf:
		return ast.DropRowType, true
	case pg.AlterTableType_AT_ValidateConstraint:
		return ast.ValidateConstraint, true
	case pg.AlterTableType_AT_EnableRowSecurity:
		return ast.EnableRowSecurity, true
	case pg.AlterTableType_AT_DisableRowSecurity:
		return ast.DisableRowSecurity, true
	case pg.AlterTableType_AT_ForceRowSecurity:
		return ast.ForceRowSecurity, true
	case pg.AlterTableType_AT_NoForceRowSecurity:
		return ast.NoForceRowSecurity, true
	case pg.AlterTableType_AT_EnableRule, pg.AlterTableType_AT_EnableAlwaysRule,
		pg.AlterTableType_AT_EnableReplicaRule, pg.AlterTableType_AT_DisableRule:
		return ast.SwitchRule, true
	}
	return 0, false
}

// alterName is a command in SQL words, from the name that the grammar gives it.
func alterName(t pg.AlterTableType) string {
	return "ALTER TABLE ... " + words(strings.TrimPrefix(t.String(), "AT_"))
}

func (c *converter) alterDefault(out *ast.AlterCommand, value *pg.Node) {
	if value == nil {
		out.Kind = ast.DropDefault
		return
	}
	out.Kind = ast.SetDefault
	out.Column = &ast.ColumnDef{Name: out.Name, Default: c.expr(value), DefaultText: c.deparseExpr(value), Pos: -1}
	out.Pos = position(out.Column.Default)
}

func (c *converter) alterType(out *ast.AlterCommand, n *pg.ColumnDef) {
	c.columnExtras(n)
	c.refuse(columnSettings(n) != nil, n, "STORAGE")
	c.refuse(n.GetColname() != "" || len(n.GetConstraints()) > 0, n, "a new column in ALTER COLUMN TYPE")
	out.Kind, out.Pos = ast.SetType, c.at(n.GetLocation())
	out.Column = &ast.ColumnDef{Name: out.Name, Type: c.typeName(n.GetTypeName()),
		Collation: collationOf(c, n.GetCollClause()),
		Pos:       out.Pos}
	out.Using = c.maybe(n.GetRawDefault())
}

func (c *converter) addColumn(table ast.Name, n *pg.AlterTableCmd) []ast.AlterCommand {
	alone := &ast.CreateTable{Table: table}
	c.columnDef(alone, n.Def.GetColumnDef())
	constraints := c.constraintCommands(alone)
	c.refuse(n.Name != "", n, "ADD COLUMN of this kind")
	def := &alone.Columns[0]
	add := ast.AlterCommand{
		Kind: ast.AddColumn, Name: def.Name, Column: def, IfExists: n.MissingOk, Cascade: cascades(n.Behavior),
		Pos: def.Pos,
	}
	for i := range constraints {
		constraints[i].Column = def
	}
	return append([]ast.AlterCommand{add}, constraints...)
}

func (c *converter) addConstraint(table ast.Name, n *pg.AlterTableCmd) []ast.AlterCommand {
	alone := &ast.CreateTable{Table: table}
	c.tableConstraint(alone, n.Def.GetConstraint())
	c.refuse(n.Name != "" || n.MissingOk, n, "ADD CONSTRAINT of this kind")
	return c.constraintCommands(alone)
}

// constraintCommands are the commands that add the constraints of a table.
func (c *converter) constraintCommands(t *ast.CreateTable) []ast.AlterCommand {
	if c.err != nil {
		return nil // a key may have no columns
	}
	var out []ast.AlterCommand
	if len(t.PrimaryKey) > 0 || t.KeyIndex != "" {
		out = append(out, ast.AlterCommand{Kind: ast.AddPrimaryKey, Name: t.PrimaryName, PrimaryKey: t.PrimaryKey,
			KeyClauses: t.KeyClauses, Pos: t.PrimaryPos})
	}
	for i := range t.Uniques {
		u := &t.Uniques[i]
		out = append(out, ast.AlterCommand{Kind: ast.AddUnique, Name: u.Name, Unique: u, Pos: u.Pos})
	}
	for i := range t.Checks {
		k := &t.Checks[i]
		out = append(out, ast.AlterCommand{Kind: ast.AddCheck, Name: k.Name, Check: k, Pos: k.Pos})
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		out = append(out, ast.AlterCommand{Kind: ast.AddForeignKey, Name: k.Name, ForeignKey: k, Pos: k.Pos})
	}
	return out
}
