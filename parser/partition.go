package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// partitions converts what is said of the partitions of tables.
type partitions struct{ *converter }

// partitionBy is PARTITION BY: columns and expressions, by whose values tables are partitions, or which, together,
// choose the partition of the store.
func (c partitions) partitionBy(out *ast.CreateTable, n *pg.PartitionSpec) {
	if n == nil {
		return
	}
	var parts []ast.KeyPart
	for _, p := range n.PartParams {
		e := p.GetPartitionElem()
		part := ast.KeyPart{Column: e.GetName(), Expr: c.maybe(e.GetExpr()),
			Collation: c.collation(e.GetCollation(), c.at(e.GetLocation())),
			OpClass:   dotted(names(e.GetOpclass())), Pos: c.at(e.GetLocation())}
		if e.GetExpr() != nil {
			part.Text = c.deparseExpr(e.GetExpr())
		}
		parts = append(parts, part)
	}
	out.PartitionBy = &ast.PartitionBy{Keys: parts, Pos: c.at(n.Location)}
	switch n.Strategy {
	case pg.PartitionStrategy_PARTITION_STRATEGY_HASH:
		out.PartitionBy.Strategy = "hash"
	case pg.PartitionStrategy_PARTITION_STRATEGY_LIST:
		out.PartitionBy.Strategy = "list"
		if len(parts) > 1 {
			c.fail(sqlerr.New(sqlerr.InvalidObjectDefinition,
				"cannot use \"list\" partition strategy with more than one column").At(int(c.at(n.Location))))
		}
	default:
		out.PartitionBy.Strategy = "range"
	}
}

// partitionOf is PARTITION OF, nil where a table is none.
func (c partitions) partitionOf(n *pg.CreateStmt) *ast.PartitionOf {
	if n.Partbound == nil {
		return nil
	}
	out := c.partitionBound(n.Partbound)
	for _, parent := range n.InhRelations {
		out.Parent = c.tableOnly(parent.GetRangeVar())
	}
	return out
}

// columnOptions are the commands for what is said of a column of a partition, which has it from its parent.
func (c partitions) columnOptions(of *ast.CreateTable, n *pg.ColumnDef) []ast.AlterCommand {
	alone := &ast.CreateTable{Table: of.Table}
	col := c.constraintsOnly(alone, n)
	if col.def.Generated {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "generated columns are not supported on partitions"))
	}
	if col.def.Identity != "" {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "identity columns are not supported on partitions"))
	}
	var out []ast.AlterCommand
	def := col.def
	if def.NotNull {
		out = append(out, ast.AlterCommand{Kind: ast.SetNotNull, Name: def.Name, Pos: -1})
	}
	if def.Default != nil {
		out = append(out, ast.AlterCommand{Kind: ast.SetDefault, Name: def.Name, Column: &def, Pos: -1})
	}
	return append(out, c.constraintCommands(alone)...)
}

// constraintsOnly is a column that the table has from elsewhere, so that only constraints are said of it.
func (c partitions) constraintsOnly(table *ast.CreateTable, n *pg.ColumnDef) column {
	c.columnExtras(n)
	c.refuse(columnSettings(n) != nil || n.TypeName != nil || len(n.Fdwoptions) > 0, n,
		"options of a column of a partition")
	col := column{def: ast.ColumnDef{Name: n.Colname, Pos: c.at(n.Location)}, table: table.Table.Name}
	for _, k := range n.Constraints {
		c.columnConstraint(table, &col, k.GetConstraint())
	}
	return col
}

// elements are the commands for the columns and constraints of a partition.
func (c partitions) elements(of *ast.CreateTable, list []*pg.Node) (out []ast.AlterCommand) {
	for _, e := range list {
		switch {
		case e.GetColumnDef() != nil:
			out = append(out, c.columnOptions(of, e.GetColumnDef())...)
		case e.GetConstraint() != nil:
			alone := &ast.CreateTable{Table: of.Table}
			c.tableConstraint(alone, e.GetConstraint())
			out = append(out, c.constraintCommands(alone)...)
		default:
			c.unknown(e)
		}
	}
	return out
}

// partitionBound is FOR VALUES or DEFAULT.
func (c partitions) partitionBound(n *pg.PartitionBoundSpec) *ast.PartitionOf {
	c.refuse(n.IsDefault && n.Strategy != "", n, "DEFAULT with a strategy")
	out := &ast.PartitionOf{Default: n.IsDefault, From: c.edges(n.Lowerdatums), To: c.edges(n.Upperdatums),
		In: c.edges(n.Listdatums), Modulus: int(n.Modulus), Remainder: int(n.Remainder), Pos: c.at(n.Location)}
	switch n.Strategy {
	case "h":
		out.Strategy = "hash"
	case "l":
		out.Strategy = "list"
	case "r":
		out.Strategy = "range"
	}
	return out
}

func (c partitions) edges(list []*pg.Node) []ast.Edge {
	var out []ast.Edge
	for _, n := range list {
		e := ast.Edge{Pos: c.position(n)}
		switch name := n.GetColumnRef().GetFields(); {
		case len(name) == 1 && name[0].GetString_().GetSval() == "minvalue":
			e.Infinity = -1
		case len(name) == 1 && name[0].GetString_().GetSval() == "maxvalue":
			e.Infinity = 1
		default:
			e.Value = c.expr(n)
		}
		out = append(out, e)
	}
	return out
}

// change is what ALTER TABLE attaches or detaches.
func (c partitions) change(n *pg.PartitionCmd) *ast.PartitionChange {
	out := &ast.PartitionChange{Name: c.tableOnly(n.GetName()), Concurrently: n.GetConcurrent()}
	if n.GetBound() != nil {
		out.Bound = c.partitionBound(n.Bound)
	}
	return out
}
