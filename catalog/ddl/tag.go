package ddl

import (
	"cmp"
	"strings"

	"zproxy/parser/ast"
)

// Tag is the command tag of a statement that changes the schema, and what it is called
// in an error.
func Tag(tree ast.Statement) string {
	switch tree := tree.(type) {
	case *ast.CreateTable:
		if tree.Foreign != nil {
			return "CREATE FOREIGN TABLE"
		}
		return "CREATE TABLE"
	case *ast.ImportForeignSchema:
		return "IMPORT FOREIGN SCHEMA"
	case *ast.CreateTableAs:
		switch {
		case tree.Materialized:
			return "CREATE MATERIALIZED VIEW"
		case tree.Into:
			return "SELECT INTO"
		}
		return "CREATE TABLE AS"
	case *ast.CreateView:
		return "CREATE VIEW"
	case *ast.Refresh:
		return "REFRESH MATERIALIZED VIEW"
	case *ast.CreateSchema:
		return "CREATE SCHEMA"
	case *ast.CreateSequence:
		return "CREATE SEQUENCE"
	case *ast.Statistics:
		return createOrAlter(tree.Target != nil) + " STATISTICS"
	case *ast.Extension:
		return createOrAlter(tree.Update) + " EXTENSION"
	case *ast.CreateIndex:
		return "CREATE INDEX"
	case *ast.Drop:
		return kindTag("DROP", tree.Kind)
	case *ast.DropIndex:
		return "DROP INDEX"
	case *ast.AlterIndex, *ast.IndexOptions:
		return "ALTER INDEX"
	case *ast.BuildIndex:
		return "BUILD INDEX"
	case *ast.Reindex:
		return "REINDEX"
	case *ast.CheckIndex:
		return "CHECK INDEX"
	case *ast.Analyze:
		return "ANALYZE"
	case *ast.Vacuum:
		return "VACUUM"
	case *ast.Cluster:
		return "CLUSTER"
	case *ast.AlterTable:
		return "ALTER " + strings.ToUpper(string(tree.Kind))
	case *ast.AlterSequence:
		return "ALTER SEQUENCE"
	case *ast.Rename:
		return kindTag("ALTER", cmp.Or(tree.Of, tree.Kind))
	case *ast.SetSchema:
		return kindTag("ALTER", tree.Kind)
	case *ast.Comment:
		return "COMMENT"
	case *ast.Truncate:
		return "TRUNCATE TABLE"
	case *ast.SetOwner:
		return kindTag("ALTER", tree.Kind)
	}
	return roleTag(tree)
}

// kindTag is the tag of a statement about an object of a kind, or about a part of one.
func kindTag(verb string, k ast.ObjectKind) string {
	switch k {
	case ast.ColumnObject, ast.ConstraintObject:
		k = ast.TableObject
	case ast.DomainConstraintObject:
		k = ast.DomainObject
	case ast.AttributeObject:
		k = ast.TypeObject
	}
	return verb + " " + strings.ToUpper(strings.ReplaceAll(string(k), "-", " "))
}

func createOrAlter(alter bool) string {
	if alter {
		return "ALTER"
	}
	return "CREATE"
}

// roleTag is Tag for the statements about roles, functions, types and the server.
func roleTag(tree ast.Statement) string {
	verb := func(revoke bool) string {
		if revoke {
			return "REVOKE"
		}
		return "GRANT"
	}
	switch tree := tree.(type) {
	case *ast.CreateRoutine:
		if tree.Procedure {
			return "CREATE PROCEDURE"
		}
		return "CREATE FUNCTION"
	case *ast.CreateTrigger:
		return "CREATE TRIGGER"
	case *ast.CreateAggregate:
		return "CREATE AGGREGATE"
	case *ast.ExtensionMember:
		return kindTag("ALTER", tree.Kind)
	case *ast.AlterRoutine:
		return "ALTER " + strings.ToUpper(string(tree.Kind))
	case *ast.CreateRole:
		return "CREATE ROLE"
	case *ast.AlterRole:
		return "ALTER ROLE"
	case *ast.AlterRoleSet:
		switch {
		case tree.System:
			return "ALTER SYSTEM"
		case tree.Alters:
			return "ALTER DATABASE"
		}
		return "ALTER ROLE"
	case *ast.Checkpoint:
		return "CHECKPOINT"
	case *ast.Load:
		return "LOAD"
	case *ast.DropRole:
		return "DROP ROLE"
	case *ast.Grant:
		return verb(tree.Revoke)
	case *ast.GrantRole:
		return verb(tree.Revoke) + " ROLE"
	case *ast.DefaultPrivileges:
		return "ALTER DEFAULT PRIVILEGES"
	case *ast.ReassignOwned:
		return "REASSIGN OWNED"
	case *ast.DropOwned:
		return "DROP OWNED"
	case *ast.CreateDatabase:
		return "CREATE DATABASE"
	case *ast.AlterDatabase:
		return "ALTER DATABASE"
	case *ast.DropDatabase:
		return "DROP DATABASE"
	case *ast.Policy:
		return createOrAlter(tree.Alter) + " POLICY"
	case *ast.DropPolicy:
		return "DROP POLICY"
	case *ast.CreateEnum, *ast.CreateComposite, *ast.CreateRange, *ast.CreateBaseType:
		return "CREATE TYPE"
	case *ast.AlterEnum, *ast.AlterComposite:
		return "ALTER TYPE"
	case *ast.CreateDomain:
		return "CREATE DOMAIN"
	case *ast.AlterDomain:
		return "ALTER DOMAIN"
	}
	return plainTag(tree)
}

// plainTag is Tag for the statements about objects without rows.
func plainTag(tree ast.Statement) string {
	switch tree := tree.(type) {
	case *ast.Publication:
		return createOrAlter(tree.Change != "") + " PUBLICATION"
	case *ast.Collation:
		return createOrAlter(tree.Refresh) + " COLLATION"
	case *ast.CreateCast:
		return "CREATE CAST"
	case *ast.Operators:
		return createOrAlter(tree.Of != nil) + " OPERATOR"
	case *ast.AlterSystemObject:
		return kindTag("ALTER", tree.Kind)
	case *ast.UserMapping:
		return tree.Verb + " USER MAPPING"
	case *ast.CreateServer:
		return "CREATE SERVER"
	case *ast.CreateTransform:
		return "CREATE TRANSFORM"
	case *ast.CreateConversion:
		return "CREATE CONVERSION"
	case *ast.CreateAccessMethod:
		return "CREATE ACCESS METHOD"
	}
	return "this statement"
}
