package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// userTypes converts the statements about types that users make.
type userTypes struct{ *converter }

func (c userTypes) createEnum(n *pg.CreateEnumStmt) ast.Statement {
	return &ast.CreateEnum{Name: c.nameOf(names(n.TypeName)), Labels: names(n.Vals)}
}

// createBase is CREATE TYPE with a list of definitions, or without one.
func (c userTypes) createBase(n *pg.DefineStmt) ast.Statement {
	c.refuse(n.IfNotExists || n.Replace || n.Oldstyle || n.Args != nil, n, "this form of CREATE TYPE")
	return &ast.CreateBaseType{Name: c.nameOf(names(n.Defnames)), Options: aggregates(c).options(n.Definition)}
}

func (c userTypes) createRange(n *pg.CreateRangeStmt) ast.Statement {
	out := &ast.CreateRange{Name: c.nameOf(names(n.TypeName)), Options: aggregates(c).options(n.Params)}
	for _, p := range n.Params {
		if d := p.GetDefElem(); d.GetDefname() == "collation" && d.GetArg().GetTypeName() != nil {
			c.collation(d.GetArg().GetTypeName().Names, -1)
		}
	}
	return out
}

// alterEnum is ALTER TYPE ... ADD VALUE or RENAME VALUE. The grammar leaves no trace of a neighbor that is the empty
// text, which no label is.
func (c userTypes) alterEnum(n *pg.AlterEnumStmt) ast.Statement {
	out := &ast.AlterEnum{Name: c.nameOf(names(n.TypeName)), New: n.NewVal, IfNotExists: n.SkipIfNewValExists,
		After: n.NewValIsAfter}
	if n.OldVal != "" {
		out.Old = &n.OldVal
	}
	if n.NewValNeighbor != "" {
		out.Neighbor = &n.NewValNeighbor
	}
	return out
}

func (c userTypes) createDomain(n *pg.CreateDomainStmt) ast.Statement {
	out := &ast.CreateDomain{Name: c.nameOf(names(n.Domainname)), Type: c.typeName(n.TypeName)}
	c.refuse(n.CollClause.GetArg() != nil, n, "COLLATE of an expression")
	out.Collation = collationOf(c.converter, n.CollClause)
	nullable := false
	for _, node := range n.Constraints {
		k := node.GetConstraint()
		if k.GetContype() == pg.ConstrType_CONSTR_CHECK && k.GetIsNoInherit() {
			c.fail(sqlerr.New(sqlerr.InvalidObjectDefinition,
				"check constraints for domains cannot be marked NO INHERIT"))
		}
		c.constraintExtras(k)
		c.refuse(k.GetSkipValidation(), k, "NOT VALID")
		switch k.GetContype() {
		case pg.ConstrType_CONSTR_NOTNULL, pg.ConstrType_CONSTR_NULL:
			no := k.GetContype() == pg.ConstrType_CONSTR_NOTNULL
			if no && nullable || !no && out.NotNull {
				c.fail(sqlerr.New(sqlerr.SyntaxError, "conflicting NULL/NOT NULL constraints"))
			}
			out.NotNull, nullable = out.NotNull || no, nullable || !no
		case pg.ConstrType_CONSTR_DEFAULT:
			if out.Default != nil {
				c.fail(sqlerr.New(sqlerr.SyntaxError, "multiple default expressions"))
			}
			out.Default = c.defaultOf(k.RawExpr)
		case pg.ConstrType_CONSTR_CHECK:
			out.Checks = append(out.Checks, c.check(k))
		default:
			c.notOfDomains(k)
		}
	}
	return out
}

// notOfDomains refuses the constraints that only tables have.
func (c userTypes) notOfDomains(k *pg.Constraint) {
	what := map[pg.ConstrType]string{
		pg.ConstrType_CONSTR_UNIQUE: "unique constraints", pg.ConstrType_CONSTR_PRIMARY: "primary key constraints",
		pg.ConstrType_CONSTR_EXCLUSION: "exclusion constraints", pg.ConstrType_CONSTR_FOREIGN: "foreign key constraints",
	}[k.GetContype()]
	if what == "" {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "specifying constraint deferrability not supported for domains"))
		return
	}
	c.fail(sqlerr.New(sqlerr.SyntaxError, "%s not possible for domains", what))
}

func (c userTypes) defaultOf(n *pg.Node) *ast.ColumnDef {
	return &ast.ColumnDef{Default: c.expr(n), DefaultText: c.deparseExpr(n)}
}

// alterDomain has a letter for each command.
func (c userTypes) alterDomain(n *pg.AlterDomainStmt) ast.Statement {
	cmd := ast.AlterCommand{Name: n.Name, IfExists: n.MissingOk, Cascade: cascades(n.Behavior), Pos: -1}
	c.refuse(n.Def != nil && n.Subtype != "T" && n.Subtype != "C", n, "this form of ALTER DOMAIN")
	switch n.Subtype {
	case "T":
		if cmd.Kind = ast.DropDefault; n.Def != nil {
			cmd.Kind, cmd.Column = ast.SetDefault, c.defaultOf(n.Def)
		}
	case "N":
		cmd.Kind = ast.DropNotNull
	case "O":
		cmd.Kind = ast.SetNotNull
	case "C":
		k := n.Def.GetConstraint()
		if k.GetContype() != pg.ConstrType_CONSTR_CHECK {
			c.notOfDomains(k)
			break
		}
		c.constraintExtras(k)
		c.refuse(k.IsNoInherit, k, "NO INHERIT")
		check := c.check(k)
		cmd.Kind, cmd.Check = ast.AddCheck, &check
	case "X":
		cmd.Kind = ast.DropConstraint
	case "V":
		cmd.Kind = ast.ValidateConstraint
	}
	return &ast.AlterDomain{Name: c.nameOf(names(n.TypeName)), Command: cmd}
}

// createComposite is CREATE TYPE ... AS (...). Its attributes are columns without constraints.
func (c userTypes) createComposite(n *pg.CompositeTypeStmt) ast.Statement {
	out := &ast.CreateComposite{Name: c.tableOnly(n.Typevar)}
	for _, node := range n.Coldeflist {
		out.Fields = append(out.Fields, c.attribute(node.GetColumnDef()))
	}
	return out
}

func (c userTypes) attribute(n *pg.ColumnDef) ast.ColumnDef {
	more := n.GetCompression() != "" || n.GetStorageName() != ""
	c.refuse(more || len(n.GetConstraints())+len(n.GetFdwoptions()) > 0, n, "a clause of an attribute")
	out := ast.ColumnDef{Name: n.GetColname(), Type: columnType(c.converter, n.GetColname(), n.GetTypeName()),
		Pos: c.at(n.GetLocation())}
	c.refuse(n.GetCollClause().GetArg() != nil, n, "COLLATE of an expression")
	out.Collation = collationOf(c.converter, n.GetCollClause())
	return out
}

// alterComposite is ALTER TYPE ... ADD, DROP or ALTER ATTRIBUTE. CASCADE is for the tables that are of the type.
func (c userTypes) alterComposite(n *pg.AlterTableStmt) ast.Statement {
	out := &ast.AlterComposite{Name: c.tableOnly(n.Relation)}
	c.refuse(n.MissingOk, n, "this form of ALTER TYPE")
	for _, node := range n.Cmds {
		cmd := node.GetAlterTableCmd()
		one := ast.AlterCommand{Name: cmd.Name, IfExists: cmd.MissingOk, Cascade: cascades(cmd.Behavior), Pos: -1}
		def := c.attribute(cmd.Def.GetColumnDef())
		adds, drops := cmd.Subtype == pg.AlterTableType_AT_AddColumn, cmd.Subtype == pg.AlterTableType_AT_DropColumn
		c.refuse(cmd.GetNum() != 0 || cmd.GetNewowner() != nil || adds && cmd.Name != "" || drops && cmd.Def != nil, n,
			"this form of ALTER TYPE")
		switch cmd.Subtype {
		case pg.AlterTableType_AT_AddColumn:
			one.Kind, one.Name, one.Column = ast.AddColumn, def.Name, &def
		case pg.AlterTableType_AT_DropColumn:
			one.Kind = ast.DropColumn
		case pg.AlterTableType_AT_AlterColumnType:
			one.Kind, one.Column = ast.SetType, &def
		default:
			c.refuse(true, n, "this form of ALTER TYPE")
		}
		out.Commands = append(out.Commands, one)
	}
	return out
}
