package parser

import (
	"slices"
	"strconv"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// objectKind is the kind of what a statement names. The statement is refused when ast has
// none for it.
func (c *converter) objectKind(statement string, t pg.ObjectType) ast.ObjectKind {
	switch t {
	case pg.ObjectType_OBJECT_TABLE:
		return ast.TableObject
	case pg.ObjectType_OBJECT_FOREIGN_TABLE:
		return ast.ForeignObject
	case pg.ObjectType_OBJECT_VIEW:
		return ast.ViewObject
	case pg.ObjectType_OBJECT_SEQUENCE:
		return ast.SequenceObject
	case pg.ObjectType_OBJECT_INDEX:
		return ast.IndexObject
	case pg.ObjectType_OBJECT_SCHEMA:
		return ast.SchemaObject
	case pg.ObjectType_OBJECT_COLUMN:
		return ast.ColumnObject
	case pg.ObjectType_OBJECT_TABCONSTRAINT:
		return ast.ConstraintObject
	case pg.ObjectType_OBJECT_DATABASE:
		return ast.DatabaseObject
	case pg.ObjectType_OBJECT_ROLE:
		return ast.RoleObject
	case pg.ObjectType_OBJECT_STATISTIC_EXT:
		return ast.StatisticsObject
	case pg.ObjectType_OBJECT_EXTENSION:
		return ast.ExtensionObject
	case pg.ObjectType_OBJECT_FUNCTION:
		return ast.FunctionObject
	case pg.ObjectType_OBJECT_PROCEDURE:
		return ast.ProcedureObject
	case pg.ObjectType_OBJECT_ROUTINE:
		return ast.RoutineObject
	case pg.ObjectType_OBJECT_AGGREGATE:
		return ast.AggregateObject
	case pg.ObjectType_OBJECT_PUBLICATION:
		return ast.PublicationObject
	case pg.ObjectType_OBJECT_COLLATION:
		return ast.CollationObject
	case pg.ObjectType_OBJECT_CAST:
		return ast.CastObject
	case pg.ObjectType_OBJECT_OPERATOR:
		return ast.OperatorObject
	case pg.ObjectType_OBJECT_TYPE:
		return ast.TypeObject
	case pg.ObjectType_OBJECT_TRIGGER:
		return ast.TriggerObject
	case pg.ObjectType_OBJECT_DOMAIN:
		return ast.DomainObject
	case pg.ObjectType_OBJECT_ATTRIBUTE:
		return ast.AttributeObject
	case pg.ObjectType_OBJECT_DOMCONSTRAINT:
		return ast.DomainConstraintObject
	case pg.ObjectType_OBJECT_POLICY:
		return ast.PolicyObject
	case pg.ObjectType_OBJECT_MATVIEW:
		return ast.MaterializedObject
	case pg.ObjectType_OBJECT_LARGEOBJECT:
		return ast.LargeObject
	default:
		if kind, ok := systemKinds[t]; ok {
			return kind
		}
		c.refuse(true, nil, statement+" "+strings.ReplaceAll(strings.TrimPrefix(t.String(), "OBJECT_"), "_", " "))
	}
	return ""
}

// drop is DROP of any kind. CASCADE means nothing more for an index, on which nothing can
// depend.
func (c *converter) drop(n *pg.DropStmt) ast.Statement {
	if n.RemoveType == pg.ObjectType_OBJECT_POLICY {
		return policies{c}.drop(n)
	}
	kind := c.objectKind("DROP", n.RemoveType)
	if kind == ast.TriggerObject || kind == ast.RuleObject {
		return triggers{c}.drop(kind, n)
	}
	var objects []ast.Name
	var called []ast.Signature
	for _, o := range n.Objects {
		if s := (systemObjects{c}).signature(kind, o); s != nil {
			called = append(called, *s)
		} else {
			objects = append(objects, c.objectName(o))
		}
	}
	if kind == ast.IndexObject {
		return &ast.DropIndex{Indexes: objects, Table: c.lifted.onTable, IfExists: n.MissingOk,
			Concurrently: n.Concurrent}
	}
	c.refuse(n.Concurrent, n, "CONCURRENTLY")
	return &ast.Drop{Kind: kind, Names: objects, Routines: called, IfExists: n.MissingOk,
		Cascade: cascades(n.Behavior)}
}

func cascades(b pg.DropBehavior) bool { return b == pg.DropBehavior_DROP_CASCADE }

// objectName is a name where the grammar keeps no position.
func (c *converter) objectName(n *pg.Node) ast.Name {
	switch {
	case n.GetString_() != nil:
		return ast.Name{Name: n.GetString_().Sval, Pos: -1}
	case n.GetInteger() != nil: // a large object
		return ast.Name{Name: strconv.Itoa(int(n.GetInteger().Ival)), Pos: -1}
	case n.GetFloat() != nil:
		return ast.Name{Name: n.GetFloat().Fval, Pos: -1}
	case n.GetTypeName() != nil:
		t := c.typeName(n.GetTypeName())
		c.refuse(t.Array || len(t.Args)+len(t.Words) > 0, n, "a type that is made of another one here")
		return ast.Name{Schema: t.Schema, Name: t.Name, Pos: -1}
	}
	parts := names(withoutDatabase(c, n.GetList().GetItems(), 2))
	switch len(parts) {
	case 1, 2:
		return c.nameOf(parts)
	case 3:
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: \"%s\"",
			dotted(parts)))
	default:
		c.fail(sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s", dotted(parts)))
	}
	return ast.Name{}
}

func (c *converter) nameOf(parts []string) ast.Name {
	if len(parts) == 3 && here(c, parts[0]) {
		parts = parts[1:]
	}
	switch len(parts) {
	case 1:
		return ast.Name{Name: parts[0], Pos: -1}
	case 2:
		return ast.Name{Schema: parts[0], Name: parts[1], Pos: -1}
	default:
		c.fail(crossing(parts))
		return ast.Name{}
	}
}

// crossing is the error about a name with a database that is not the session's.
func crossing(parts []string) *sqlerr.Error {
	if len(parts) > 3 {
		return sqlerr.New(sqlerr.SyntaxError, "improper qualified name (too many dotted names): %s", dotted(parts))
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: %s", dotted(parts))
}

// rename is ALTER ... RENAME. Columns and constraints are named within a table.
func (c *converter) rename(n *pg.RenameStmt) ast.Statement {
	out := &ast.Rename{Kind: c.objectKind("RENAME of", n.RenameType), Table: c.lifted.onTable, New: n.Newname,
		IfExists: n.MissingOk}
	out.Routine = systemObjects{c}.signature(out.Kind, n.Object)
	if out.Routine != nil {
		c.refuse(n.Relation != nil || n.Subname != "", n, "RENAME of this kind")
		return out
	}
	byName := slices.Contains([]ast.ObjectKind{ast.StatisticsObject, ast.TypeObject, ast.DomainObject,
		ast.DomainConstraintObject, ast.PublicationObject, ast.CollationObject}, out.Kind) ||
		isSystemKind(out.Kind) && out.Kind != ast.RuleObject && out.Kind != ast.TablespaceObject
	out.Cascade = cascades(n.Behavior)
	c.refuse(n.Object != nil && !byName || out.Cascade && out.Kind != ast.AttributeObject, n, "RENAME of this kind")
	if n.Relation != nil {
		out.Name = c.tableOnly(n.Relation)
	}
	switch out.Kind {
	case ast.ColumnObject:
		out.Of = c.objectKind("RENAME of a column of", n.RelationType)
		out.Old = n.Subname
	case ast.ConstraintObject, ast.TriggerObject, ast.PolicyObject, ast.AttributeObject, ast.RuleObject:
		out.Old = n.Subname
	case ast.SchemaObject, ast.RoleObject, ast.DatabaseObject, ast.TablespaceObject:
		out.Name = ast.Name{Name: n.Subname, Pos: -1}
	case ast.DomainConstraintObject:
		out.Name, out.Old = c.objectName(n.Object), n.Subname
	default:
		c.refuse(n.Subname != "", n, "RENAME of this kind")
		if byName {
			out.Name = c.objectName(n.Object)
		}
	}
	return out
}

func (c *converter) setSchema(n *pg.AlterObjectSchemaStmt) ast.Statement {
	out := &ast.SetSchema{Kind: c.objectKind("SET SCHEMA of", n.ObjectType), Schema: n.Newschema, IfExists: n.MissingOk}
	if n.Object == nil {
		out.Name = c.tableOnly(n.Relation)
		return out
	}
	c.refuse(n.Relation != nil, n, "SET SCHEMA of this kind")
	if out.Routine = (systemObjects{c}).signature(out.Kind, n.Object); out.Routine == nil {
		out.Name = c.objectName(n.Object)
	}
	return out
}

// comment is COMMENT ON. The empty text takes a comment away, too.
func (c *converter) comment(n *pg.CommentStmt) ast.Statement {
	out := &ast.Comment{Kind: c.objectKind("COMMENT ON", n.Objtype)}
	out.Routine = systemObjects{c}.signature(out.Kind, n.Object)
	if n.Comment != "" {
		out.Text = &n.Comment
	}
	switch parts := names(n.Object.GetList().GetItems()); {
	case out.Routine != nil:
	case out.Kind == ast.DomainConstraintObject:
		list := n.Object.GetList().Items
		out.Name, out.Column = c.objectName(list[0]), list[1].GetString_().GetSval()
	case !partOfTable(out.Kind):
		out.Name = c.objectName(n.Object)
	case len(parts) > 1:
		out.Name, out.Column = c.nameOf(parts[:len(parts)-1]), parts[len(parts)-1]
	default:
		c.fail(sqlerr.New(sqlerr.SyntaxError, "column name must be qualified"))
	}
	return out
}

// partOfTable says whether an object is named behind its table.
func partOfTable(kind ast.ObjectKind) bool {
	switch kind {
	case ast.ColumnObject, ast.ConstraintObject, ast.TriggerObject, ast.PolicyObject, ast.RuleObject:
		return true
	}
	return false
}

// createSchema is CREATE SCHEMA. A schema without a name has that of its owner.
func (c *converter) createSchema(n *pg.CreateSchemaStmt) ast.Statement {
	return &ast.CreateSchema{Name: n.Schemaname, Owner: c.maybeRole(n.Authrole), IfNotExists: n.IfNotExists,
		Elements: elements{c, n.Schemaname}.all(n.SchemaElts), Pos: -1}
}

func (c *converter) createSequence(n *pg.CreateSeqStmt) ast.Statement {
	return &ast.CreateSequence{Name: c.tableOnly(n.Sequence), IfNotExists: n.IfNotExists,
		Options: c.sequence(n.Options)}
}

func (c *converter) alterSequence(n *pg.AlterSeqStmt) ast.Statement {
	return &ast.AlterSequence{Name: c.tableOnly(n.Sequence), IfExists: n.MissingOk, Options: c.sequence(n.Options)}
}

// sequence is the options of a sequence, whose only list is the name in OWNED BY.
func (c *converter) sequence(list []*pg.Node) []ast.Option {
	out := c.options(list)
	for i, n := range list {
		if parts := n.GetDefElem().GetArg().GetList(); parts != nil {
			out[i].Value = dotted(names(parts.Items))
		}
	}
	return out
}
