package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

func (c *converter) createTable(n *pg.CreateStmt) ast.Statement {
	c.tablespace(n.Tablespacename, n.Relation)
	c.accessMethod(n.AccessMethod, n.Relation)
	out := &ast.CreateTable{Table: c.tableOnly(n.Relation), IfNotExists: n.IfNotExists, PrimaryPos: -1,
		OnCommit: c.onCommit(n.Oncommit, n.Relation)}
	if n.Partbound == nil {
		for _, parent := range n.InhRelations {
			out.Inherits = append(out.Inherits, c.tableOnly(parent.GetRangeVar()))
		}
	}
	if n.OfTypename != nil {
		out.OfType = typedTables{c}.rowType(n.OfTypename)
	}
	elements := n.TableElts
	if out.PartitionOf = (partitions{c}).partitionOf(n); out.PartitionOf != nil {
		out.PartitionOf.Commands, elements = partitions{c}.elements(out, elements), nil
	}
	for _, e := range elements {
		switch {
		case e.GetColumnDef() != nil && out.OfType != nil:
			typedTables{c}.column(out, e.GetColumnDef())
		case e.GetColumnDef() != nil:
			c.columnDef(out, e.GetColumnDef())
		case e.GetConstraint() != nil:
			c.tableConstraint(out, e.GetConstraint())
		case e.GetTableLikeClause() != nil:
			tableClauses{c}.like(out, e.GetTableLikeClause())
		default:
			c.unknown(e)
		}
	}
	if c.lifted.primary.parts != nil {
		c.setPrimary(out, c.lifted.primary)
	}
	partitions{c}.partitionBy(out, n.Partspec)
	out.Options = append(c.storageParameters(n.Options), c.lifted.options...)
	return out
}

func (c *converter) columnDef(table *ast.CreateTable, n *pg.ColumnDef) {
	c.columnExtras(n)
	col := column{table: table.Table.Name}
	kind, bound, err := bounded(n.Colname, n.TypeName)
	if err != nil {
		c.fail(err)
	}
	col.def = ast.ColumnDef{Name: n.Colname, Type: columnType(c, n.Colname, kind),
		Settings:  columnSettings(n),
		Options:   asWritten(c.options(n.Fdwoptions), n.Fdwoptions),
		Collation: collationOf(c, n.CollClause), Pos: c.at(n.Location)}
	if bound != nil {
		table.Checks = append(table.Checks, *bound)
	}
	for _, k := range n.Constraints {
		if k.GetConstraint() == nil {
			c.unknown(k)
			continue
		}
		c.columnConstraint(table, &col, k.GetConstraint())
	}
	if col.def.Generated {
		col.def.Default = col.generated
	}
	table.Columns = append(table.Columns, col.def)
}

// columnSettings are STORAGE and COMPRESSION.
func columnSettings(n *pg.ColumnDef) (out []ast.Option) {
	if n.GetStorageName() != "" {
		out = append(out, ast.Option{Name: ast.StorageOption, Value: n.StorageName, Pos: -1})
	}
	if n.GetCompression() != "" {
		out = append(out, ast.Option{Name: ast.CompressionOption, Value: n.Compression, Pos: -1})
	}
	return out
}

// columnExtras refuses what may stand in a column definition beside its type and its
// constraints.
func (c *converter) columnExtras(n *pg.ColumnDef) {
	c.refuse(n.GetStorage() != "", n, "STORAGE")
	c.refuse(len(n.GetFdwoptions()) > 0 && !c.foreign, n, "OPTIONS of a column")
}

// column is a column definition while its constraints are read.
type column struct {
	def       ast.ColumnDef
	table     string
	null      bool // NULL was written
	notNull   bool
	before    timed // the constraint before this one, which says when it is checked
	generated ast.Expr
}

func (c *converter) columnConstraint(table *ast.CreateTable, col *column, k *pg.Constraint) {
	c.constraintExtras(k)
	c.refuse(k.Deferrable || k.Initdeferred, k, constraintName(k.Contype)) // clauses of their own say that
	col.before.follow(k.GetContype(), table)
	switch k.GetContype() {
	case pg.ConstrType_CONSTR_NULL:
		col.null = true
	case pg.ConstrType_CONSTR_NOTNULL:
		col.notNull = true
		col.def.NotNull = true
	case pg.ConstrType_CONSTR_DEFAULT:
		if col.def.Default != nil {
			c.columnError(col, k, "multiple default values specified for column \"%s\" of table \"%s\"")
		}
		col.def.Default, col.def.DefaultText = c.expr(k.RawExpr), c.deparseExpr(k.RawExpr)
	case pg.ConstrType_CONSTR_CHECK:
		table.Checks = append(table.Checks, c.check(k))
	case pg.ConstrType_CONSTR_IDENTITY:
		if col.def.Identity != "" {
			c.columnError(col, k, "multiple identity specifications for column \"%s\" of table \"%s\"")
		}
		col.def.Identity, col.def.Sequence = identityOf(k.GeneratedWhen), c.sequence(k.Options)
		col.notNull, col.def.NotNull = true, true
	case pg.ConstrType_CONSTR_GENERATED:
		c.refuse(c.foreign || k.GetGeneratedWhen() != "a", k, "a generated column")
		if col.def.Generated {
			c.columnError(col, k, "multiple generation clauses specified for column \"%s\" of table \"%s\"")
		}
		col.generated, col.def.Generated = c.expr(k.RawExpr), true
		col.def.DefaultText = c.deparseExpr(k.RawExpr)
	case pg.ConstrType_CONSTR_PRIMARY:
		c.setPrimary(table, primary{c.ownKey(col, k), k.Conname, tableClauses{c}.ofKey(k), c.at(k.Location)})
	case pg.ConstrType_CONSTR_UNIQUE:
		table.Uniques = append(table.Uniques,
			ast.Unique{Name: k.Conname, Columns: c.ownKey(col, k), NullsEqual: k.NullsNotDistinct,
				KeyClauses: tableClauses{c}.ofKey(k), Pos: c.at(k.Location)})
	case pg.ConstrType_CONSTR_FOREIGN:
		key := foreignKeys{c}.key(k)
		key.Columns = []string{col.def.Name}
		table.ForeignKeys = append(table.ForeignKeys, key)
	default:
		if !col.before.when(c, k) {
			c.refuse(true, k, constraintName(k.GetContype()))
		}
	}
	if col.null && col.notNull {
		c.columnError(col, k, "conflicting NULL/NOT NULL declarations for column \"%s\" of table \"%s\"")
	}
	if col.def.Generated && col.def.Default != nil {
		c.columnError(col, k, "both default and generation expression specified for column \"%s\" of table \"%s\"")
	}
	if col.def.Generated && col.def.Identity != "" {
		c.columnError(col, k, "both identity and generation expression specified for column \"%s\" of table \"%s\"")
	}
	if col.def.Identity != "" && col.def.Default != nil {
		c.columnError(col, k, "both default and identity specified for column \"%s\" of table \"%s\"")
	}
}

func (c *converter) columnError(col *column, k *pg.Constraint, format string) {
	c.fail(sqlerr.New(sqlerr.SyntaxError, format, col.def.Name, col.table).At(int(c.at(k.Location))))
}

func (c *converter) check(k *pg.Constraint) ast.Check {
	return ast.Check{Name: k.Conname, Expr: c.expr(k.RawExpr), Text: c.deparseExpr(k.RawExpr),
		Validity: c.lifted.validity(k), NoInherit: k.IsNoInherit, Pos: c.at(k.Location)}
}

// identityOf is when the values of an identity column are generated, by the letter of the grammar.
func identityOf(when string) string {
	if when == "d" {
		return "by default"
	}
	return "always"
}

// ownKey is the key that a constraint of one column makes.
func (c *converter) ownKey(col *column, k *pg.Constraint) []ast.KeyPart {
	return []ast.KeyPart{{Column: col.def.Name, Pos: c.at(k.Location)}}
}

func (c *converter) tableConstraint(table *ast.CreateTable, k *pg.Constraint) {
	c.constraintExtras(k)
	switch k.GetContype() {
	case pg.ConstrType_CONSTR_PRIMARY:
		c.setPrimary(table, primary{c.lifted.order(c.key(k)), k.Conname, tableClauses{c}.ofKey(k), c.at(k.Location)})
	case pg.ConstrType_CONSTR_UNIQUE:
		table.Uniques = append(table.Uniques,
			ast.Unique{Name: k.Conname, Columns: c.key(k), NullsEqual: k.NullsNotDistinct,
				KeyClauses: tableClauses{c}.ofKey(k), Pos: c.at(k.Location)})
	case pg.ConstrType_CONSTR_CHECK:
		table.Checks = append(table.Checks, c.check(k))
	case pg.ConstrType_CONSTR_FOREIGN:
		table.ForeignKeys = append(table.ForeignKeys, foreignKeys{c}.key(k))
	default:
		c.refuse(true, k, constraintName(k.Contype))
	}
}

// key is the columns of a constraint, whose names have no positions of their own.
func (c *converter) key(k *pg.Constraint) []ast.KeyPart {
	var out []ast.KeyPart
	for _, name := range names(k.Keys) {
		out = append(out, ast.KeyPart{Column: name, Pos: c.at(k.Location)})
	}
	return out
}

// constraintExtras refuses what may follow any constraint.
func (c *converter) constraintExtras(k *pg.Constraint) {
	references, check := k.Contype == pg.ConstrType_CONSTR_FOREIGN, k.Contype == pg.ConstrType_CONSTR_CHECK
	c.refuse(k.GetSkipValidation() && !references && !check, k, "NOT VALID")
	c.refuse(k.GetIsNoInherit() && !check, k, "NO INHERIT")
	c.refuse(k.NullsNotDistinct && k.Contype != pg.ConstrType_CONSTR_UNIQUE, k, "NULLS NOT DISTINCT")
	key := k.Contype == pg.ConstrType_CONSTR_PRIMARY || k.Contype == pg.ConstrType_CONSTR_UNIQUE
	c.refuse((k.GetDeferrable() || k.GetInitdeferred()) && !references && !key, k, constraintName(k.Contype))
	c.refuse(len(k.Including) > 0 && !key, k, "INCLUDE in a constraint")
	c.refuse(len(k.Options) > 0 && k.Contype != pg.ConstrType_CONSTR_IDENTITY && !key, k, "WITH in a constraint")
	c.refuse(k.Indexname != "" && !key, k, "USING INDEX")
	c.tablespace(k.Indexspace, k)
}

func constraintName(t pg.ConstrType) string {
	switch t {
	case pg.ConstrType_CONSTR_GENERATED:
		return "a generated column"
	case pg.ConstrType_CONSTR_EXCLUSION:
		return "EXCLUDE"
	}
	return "this constraint"
}

// primary is a primary key in whichever place it was written.
type primary struct {
	parts   []ast.KeyPart
	name    string
	clauses ast.KeyClauses
	pos     ast.Pos
}

func (c *converter) setPrimary(table *ast.CreateTable, p primary) {
	if len(table.PrimaryKey) > 0 || table.KeyIndex != "" {
		c.fail(sqlerr.New(sqlerr.InvalidTableDefinition,
			"multiple primary keys for table \"%s\" are not allowed", table.Table.Name).At(int(p.pos)))
	}
	table.PrimaryKey, table.PrimaryName, table.PrimaryPos = p.parts, p.name, p.pos
	table.KeyClauses = p.clauses
	table.KeyMethod = c.lifted.keyMethod
}
