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
	if n.CollClause != nil {
		out.Collated = true
		c.collation(n.CollClause.GetCollname(), c.at(n.CollClause.GetLocation()))
	}
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
