package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/foreign"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// mayUpdate refuses a statement that may update rows of a table whose class does not allow
// that. How many rows it would find does not count: the statement is wrong, not its data.
func mayUpdate(t *catalog.Table, n ast.Name, statement string) error {
	return allows(t.Mutability().Updates(), t, n, statement)
}

// mayDelete refuses a statement that deletes rows of a table whose class does not allow that.
func mayDelete(t *catalog.Table, n ast.Name) error {
	return allows(t.Mutability().Deletes(), t, n, "DELETE")
}

// mayReplace refuses an INSERT that may update rows of a table whose class does not allow that.
func mayReplace(t *catalog.Table, s *ast.Insert) error {
	switch {
	case s.Replace:
		return mayUpdate(t, s.Table, "REPLACE")
	case s.OnConflict != nil && s.OnConflict.Update != nil:
		return mayUpdate(t, s.Table, "ON CONFLICT DO UPDATE")
	}
	return nil
}

func allows(ok bool, t *catalog.Table, n ast.Name, statement string) error {
	if ok {
		return nil
	}
	m := t.Mutability()
	never := "updated"
	if m == catalog.Immutable {
		never = "updated or deleted"
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "table %q does not allow %s", t.Name, statement).
		At(int(n.Pos)).
		WithDetail("The table is %s: its rows are never %s.", m, never).
		WithHint("ALTER TABLE %s SET (%s = '%s') allows it.", quotedName(n), catalog.MutabilityOption,
			allowing(statement))
}

// keepsKey refuses to give items of other programs another key: what columns do not name would stay behind.
func keepsKey(t *catalog.Table, to target, n ast.ColumnName) error {
	if t.Foreign == nil || to.dynamic != "" || !slices.Contains(t.Primary.Columns(), t.Columns[to.ordinal].ID) {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot update key column %q of foreign table %q", n.Name, t.Name).
		At(int(n.Pos)).WithHint("Insert a row with the other key, and delete this one.")
}

// allowing is the strictest class that allows a statement.
func allowing(statement string) catalog.Mutability {
	if statement == "DELETE" {
		return catalog.ImmutableRows
	}
	return catalog.MutableLatest
}

// quotedName is a name as a statement may write it.
func quotedName(n ast.Name) string {
	if n.Schema == "" {
		return expr.QuoteIdent(n.Name)
	}
	return expr.QuoteIdent(n.Schema) + "." + expr.QuoteIdent(n.Name)
}

// foreignAllows refuses a statement that writes rows of a foreign table whose option updatable is false.
func foreignAllows(t *catalog.Table, statements string) error {
	if t.Foreign == nil || t.Foreign.Updatable() {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "foreign table %q does not allow %s", t.Name, statements).
		WithHint("ALTER FOREIGN TABLE ... OPTIONS (SET %s 'true') allows it.", foreign.Updatable)
}
