package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/catalog/reference"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// foreignKeys converts foreign keys, and what statements say of them.
type foreignKeys struct{ *converter }

// key is a FOREIGN KEY constraint. That of a column has no columns yet.
func (c foreignKeys) key(k *pg.Constraint) ast.ForeignKey {
	c.refuseMatch(k)
	c.refuse(k.Pktable.GetAlias() != nil, k.Pktable, "an alias of this table")
	return ast.ForeignKey{
		Name: k.Conname, Columns: names(k.FkAttrs), Table: c.relation(k.Pktable),
		Refers: names(k.PkAttrs), Full: k.FkMatchtype == "f",
		OnDelete: action(k.FkDelAction), OnUpdate: action(k.FkUpdAction), Sets: names(k.FkDelSetCols),
		Timing: timing(k), Validity: c.lifted.validity(k), Pos: c.at(k.Location),
	}
}

// refuseMatch refuses MATCH PARTIAL, which PostgreSQL does not have, either.
func (c foreignKeys) refuseMatch(k *pg.Constraint) {
	if k.FkMatchtype == "p" && c.err == nil {
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "MATCH PARTIAL not yet implemented").At(int(c.at(k.Location))))
	}
}

// altered is ALTER CONSTRAINT.
func (c foreignKeys) altered(n *pg.AlterTableCmd) (out []ast.AlterCommand) {
	k := n.Def.GetConstraint()
	c.constraintExtras(k)
	c.refuse(n.Name != "" || n.MissingOk || k.GetSkipValidation(), n, "ALTER CONSTRAINT of this kind")
	e, enforces := c.lifted.enforced[k]
	if !enforces || e.timed {
		out = append(out, ast.AlterCommand{Kind: ast.AlterConstraint, Name: k.GetConname(), Pos: -1,
			ForeignKey: &ast.ForeignKey{Timing: timing(k)}})
	}
	if enforces {
		out = append(out, ast.AlterCommand{Kind: ast.EnforceConstraint, Name: k.GetConname(), Pos: -1,
			ForeignKey: &ast.ForeignKey{Validity: c.lifted.validity(k)}})
	}
	return out
}

// timing is when a constraint is checked.
func timing(k *pg.Constraint) reference.Timing {
	return reference.Timing{Deferrable: k.GetDeferrable(), Deferred: k.GetInitdeferred()}
}

// setConstraints is SET CONSTRAINTS.
func (c foreignKeys) setConstraints(n *pg.ConstraintsSetStmt) ast.Statement {
	return &ast.SetConstraints{Names: c.tables(n.Constraints), Deferred: n.Deferred}
}

// action is what a key does, from the letter that the grammar has for it.
func action(letter string) string {
	for _, a := range []reference.Action{reference.Restrict, reference.Cascade, reference.SetNull,
		reference.SetDefault} {
		if a.Code() == letter {
			return string(a)
		}
	}
	return string(reference.NoAction)
}

// timed is a constraint of a column behind which the grammar allows clauses that say when it is checked.
type timed struct {
	of func() *reference.Timing // where its timing is kept; nil: it allows none
	// deferrable and deferred are whether a clause of each kind was read.
	deferrable, deferred bool
}

// follow notes the next constraint of a column, which is then added to the table.
func (t *timed) follow(kind pg.ConstrType, table *ast.CreateTable) {
	switch kind {
	case pg.ConstrType_CONSTR_PRIMARY:
		*t = timed{of: func() *reference.Timing { return &table.Timing }}
	case pg.ConstrType_CONSTR_UNIQUE:
		*t = timed{of: func() *reference.Timing { return &table.Uniques[len(table.Uniques)-1].Timing }}
	case pg.ConstrType_CONSTR_FOREIGN:
		*t = timed{of: func() *reference.Timing { return &table.ForeignKeys[len(table.ForeignKeys)-1].Timing }}
	case pg.ConstrType_CONSTR_ATTR_DEFERRABLE, pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE,
		pg.ConstrType_CONSTR_ATTR_DEFERRED, pg.ConstrType_CONSTR_ATTR_IMMEDIATE:
	default:
		*t = timed{}
	}
}

// whenWords are the clauses that say when a constraint is checked.
var whenWords = map[pg.ConstrType]string{
	pg.ConstrType_CONSTR_ATTR_DEFERRABLE:     "DEFERRABLE",
	pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE: "NOT DEFERRABLE",
	pg.ConstrType_CONSTR_ATTR_DEFERRED:       "INITIALLY DEFERRED",
	pg.ConstrType_CONSTR_ATTR_IMMEDIATE:      "INITIALLY IMMEDIATE",
}

// when reads a clause that says when the constraint before it is checked, and says whether it is one.
func (t *timed) when(c *converter, k *pg.Constraint) bool {
	clause, ok := whenWords[k.Contype]
	if !ok {
		return false
	}
	fail := func(format string, args ...any) bool {
		c.fail(sqlerr.New(sqlerr.SyntaxError, format, args...).At(int(c.at(k.Location))))
		return true
	}
	deferrable := k.Contype == pg.ConstrType_CONSTR_ATTR_DEFERRABLE ||
		k.Contype == pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE
	switch {
	case t.of == nil:
		return fail("misplaced %s clause", clause)
	case deferrable && t.deferrable:
		return fail("multiple DEFERRABLE/NOT DEFERRABLE clauses not allowed")
	case !deferrable && t.deferred:
		return fail("multiple INITIALLY IMMEDIATE/DEFERRED clauses not allowed")
	}
	t.deferrable, t.deferred = t.deferrable || deferrable, t.deferred || !deferrable
	is := t.of()
	switch k.Contype {
	case pg.ConstrType_CONSTR_ATTR_DEFERRABLE:
		is.Deferrable = true
	case pg.ConstrType_CONSTR_ATTR_NOT_DEFERRABLE:
		if is.Deferred {
			return fail("constraint declared INITIALLY DEFERRED must be DEFERRABLE")
		}
	case pg.ConstrType_CONSTR_ATTR_DEFERRED:
		if t.deferrable && !is.Deferrable {
			return fail("constraint declared INITIALLY DEFERRED must be DEFERRABLE")
		}
		is.Deferrable, is.Deferred = true, true
	}
	return true
}
