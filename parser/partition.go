package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// partitions converts what is said of the partitions of tables.
type partitions struct{ *converter }

// partitionBy is PARTITION BY: with HASH columns and expressions that, together, choose the partition of the store,
// with RANGE those by whose ranges tables are its partitions.
func (c partitions) partitionBy(out *ast.CreateTable, n *pg.PartitionSpec) {
	if n == nil {
		return
	}
	c.refuse(n.Strategy == pg.PartitionStrategy_PARTITION_STRATEGY_LIST, n, "PARTITION BY LIST")
	var parts []ast.KeyPart
	for _, p := range n.PartParams {
		e := p.GetPartitionElem()
		c.refuse(len(e.GetOpclass()) > 0, p, "an operator class in PARTITION BY")
		c.collation(e.GetCollation(), c.at(e.GetLocation()))
		parts = append(parts, ast.KeyPart{Column: e.GetName(), Expr: c.maybe(e.GetExpr()),
			Collated: len(e.GetCollation()) > 0, Pos: c.at(e.GetLocation())})
	}
	out.PartitionBy = &ast.PartitionBy{Strategy: "range", Keys: parts, Pos: c.at(n.Location)}
	if n.Strategy == pg.PartitionStrategy_PARTITION_STRATEGY_HASH {
		out.PartitionBy.Strategy = "hash"
		return
	}
	c.refuse(len(parts) != 1, n, "PARTITION BY RANGE of several columns")
	for _, p := range parts {
		c.refuse(p.Expr != nil, n, "PARTITION BY RANGE of an expression")
	}
}

// partitionOf is PARTITION OF, nil where a table is none.
func (c partitions) partitionOf(n *pg.CreateStmt) *ast.PartitionOf {
	if n.Partbound == nil {
		return nil
	}
	c.refuse(n.Partspec != nil, n.Partspec, "a partition that has partitions")
	c.refuse(len(n.TableElts) > 0, n.Relation, "a list of columns or constraints of a partition")
	out := c.partitionBound(n.Partbound)
	for _, parent := range n.InhRelations {
		out.Parent = c.tableOnly(parent.GetRangeVar())
	}
	return out
}

// partitionBound is FOR VALUES or DEFAULT.
func (c partitions) partitionBound(n *pg.PartitionBoundSpec) *ast.PartitionOf {
	c.refuse(n.Modulus != 0 || n.Remainder != 0, n, "FOR VALUES WITH")
	c.refuse(len(n.Listdatums) > 0, n, "FOR VALUES IN")
	c.refuse(n.IsDefault && n.Strategy != "", n, "DEFAULT with a strategy")
	return &ast.PartitionOf{Default: n.IsDefault, From: c.edges(n.Lowerdatums), To: c.edges(n.Upperdatums),
		Pos: c.at(n.Location)}
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
