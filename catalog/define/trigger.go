package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// triggerBuilder makes a trigger of its statement.
type triggerBuilder struct {
	Builder
	tree *ast.CreateTrigger
	on   catalog.Relation
}

// Trigger makes the trigger of a table or a view that a CREATE TRIGGER describes. Its function and its numbers are the
// caller's to find.
func Trigger(b Builder, tree *ast.CreateTrigger, on catalog.Relation) (*catalog.Trigger, error) {
	t := triggerBuilder{b, tree, on}
	out := &catalog.Trigger{Definition: trigger.Definition{
		Name: tree.Name, Timing: tree.Timing, Events: tree.Events, Row: tree.Row, Args: tree.Args,
		Constraint: trigger.Constraint{Deferrable: tree.Deferrable, Deferred: tree.Deferred},
	}}
	for _, check := range []func(*catalog.Trigger) error{t.fits, t.transitions, t.when, t.columns} {
		if err := check(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// MayHaveTriggers refuses triggers of relations of some kinds, and those that others cannot have.
func MayHaveTriggers(tree *ast.CreateTrigger, on catalog.Relation) error {
	name := on.Ref().Name
	wrong := func(what, detail string) error {
		return sqlerr.New(sqlerr.WrongObjectType, "%q is %s", name, what).WithDetail("%s", detail)
	}
	switch on := on.(type) {
	case *catalog.View:
		switch {
		case tree.Row && tree.Timing != trigger.Instead:
			return wrong("a view", "Views cannot have row-level BEFORE or AFTER triggers.")
		case tree.Events&trigger.Truncate != 0:
			return wrong("a view", "Views cannot have TRUNCATE triggers.")
		}
		return nil
	case *catalog.Table:
		switch {
		case on.Materialized != nil:
		case on.Foreign != nil && tree.Timing == trigger.Instead:
			return wrong("a foreign table", "Foreign tables cannot have INSTEAD OF triggers.")
		case on.Foreign != nil && tree.Constraint:
			return wrong("a foreign table", "Foreign tables cannot have constraint triggers.")
		case on.Partitioning != nil && tree.Timing == trigger.Instead:
			return wrong("a table", "Tables cannot have INSTEAD OF triggers.")
		case on.Partitioning != nil && tree.Row && len(tree.Transition) > 0:
			return sqlerr.New(sqlerr.FeatureNotSupported, "%q is a partitioned table", name).
				WithDetail("ROW triggers with transition tables are not supported on partitioned tables.")
		case tree.Timing == trigger.Instead:
			return wrong("a table", "Tables cannot have INSTEAD OF triggers.")
		default:
			return nil
		}
	}
	what := map[catalog.Kind]string{catalog.IndexKind: "indexes", catalog.SequenceKind: "sequences",
		catalog.MaterializedKind: "materialized views"}[on.Ref().Kind]
	return sqlerr.New(sqlerr.WrongObjectType, "relation %q cannot have triggers", name).
		WithDetail("This operation is not supported for %s.", what)
}

// fits refuses clauses that do not go with each other.
func (b triggerBuilder) fits(*catalog.Trigger) error {
	message := ""
	switch t := b.tree; {
	case t.Row && t.Events&trigger.Truncate != 0:
		message = "TRUNCATE FOR EACH ROW triggers are not supported"
	case t.Timing != trigger.Instead:
		return nil
	case !t.Row:
		message = "INSTEAD OF triggers must be FOR EACH ROW"
	case t.When != nil:
		message = "INSTEAD OF triggers cannot have WHEN conditions"
	case t.Columns != nil:
		message = "INSTEAD OF triggers cannot have column lists"
	default:
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s", message)
}

// transitions names the transition tables.
func (b triggerBuilder) transitions(out *catalog.Trigger) error {
	for _, r := range b.tree.Transition {
		if err := b.refuseTransition(r); err != nil {
			return err
		}
		name, label := &out.OldTable, "OLD TABLE"
		if r.New {
			name, label = &out.NewTable, "NEW TABLE"
		}
		if *name != "" {
			return invalidDefinition("%s cannot be specified multiple times", label)
		}
		*name = r.Name
	}
	if out.OldTable != "" && out.OldTable == out.NewTable {
		return invalidDefinition("OLD TABLE name and NEW TABLE name cannot be the same")
	}
	return nil
}

func (b triggerBuilder) refuseTransition(r ast.Transition) error {
	unsupported := func(format string) *sqlerr.Error { return sqlerr.New(sqlerr.FeatureNotSupported, "%s", format) }
	t, e := b.tree, b.tree.Events
	table, _ := b.on.(*catalog.Table)
	switch {
	case r.Row:
		return unsupported("ROW variable naming in the REFERENCING clause is not supported").
			WithHint("Use OLD TABLE or NEW TABLE for naming transition tables.")
	case table == nil:
		return sqlerr.New(sqlerr.WrongObjectType, "%q is a view", b.on.Ref().Name).
			WithDetail("Triggers on views cannot have transition tables.")
	case table.Foreign != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "%q is a foreign table", table.Name).
			WithDetail("Triggers on foreign tables cannot have transition tables.")
	case t.Row && table.PartitionOf != nil:
		return unsupported("ROW triggers with transition tables are not supported on partitions")
	case t.Timing != trigger.After:
		return invalidDefinition("transition table name can only be specified for an AFTER trigger")
	case e&trigger.Truncate != 0:
		return unsupported("TRUNCATE triggers with transition tables are not supported")
	case len(e.Words()) != 1:
		return unsupported("transition tables cannot be specified for triggers with more than one event")
	case t.Columns != nil:
		return unsupported("transition tables cannot be specified for triggers with column lists")
	case r.New && e&(trigger.Insert|trigger.Update) == 0:
		return invalidDefinition("NEW TABLE can only be specified for an INSERT or UPDATE trigger")
	case !r.New && e&(trigger.Delete|trigger.Update) == 0:
		return invalidDefinition("OLD TABLE can only be specified for a DELETE or UPDATE trigger")
	}
	return nil
}

func invalidDefinition(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidObjectDefinition, format, args...)
}

// when keeps the condition.
func (b triggerBuilder) when(out *catalog.Trigger) error {
	if b.tree.When == nil {
		return nil
	}
	t, ok := b.on.(*catalog.Table)
	if !ok {
		t = b.on.(*catalog.View).AsTable()
	}
	c, cond, err := stated(b.Builder, t, b.tree.WhenText, func(c *catalog.Condition) (expr.Expr, map[int]bool, error) {
		return b.Stored().BindWhen(t, c, b.tree.When)
	})
	if err == nil {
		err = b.seesRows(t, cond)
	}
	if err != nil {
		return err
	}
	named := map[int]bool{} // a row as a whole names none
	expr.Any(cond, func(e expr.Expr) bool {
		if c, ok := e.(expr.Column); ok && c.Pos > 0 {
			named[c.Index%len(t.Columns)] = true // of the old row or of the new one
		}
		return false
	})
	c.Over.Columns = namedBounds(t, named)
	out.When = c
	return nil
}

// seesRows refuses a condition that names rows which are not there, or values that are not there yet.
func (b triggerBuilder) seesRows(t *catalog.Table, cond expr.Expr) (err error) {
	expr.Any(cond, func(e expr.Expr) bool {
		c, ok := e.(expr.Column)
		if !ok {
			return false
		}
		err = b.seesColumn(t, c)
		return err != nil
	})
	return err
}

func (b triggerBuilder) seesColumn(t *catalog.Table, c expr.Column) error {
	isNew := c.Index >= len(t.Columns)
	var e *sqlerr.Error
	switch {
	case !b.tree.Row:
		e = invalidDefinition("statement trigger's WHEN condition cannot reference column values")
	case !isNew && b.tree.Events&trigger.Insert != 0:
		e = invalidDefinition("INSERT trigger's WHEN condition cannot reference OLD values")
	case isNew && b.tree.Events&trigger.Delete != 0:
		e = invalidDefinition("DELETE trigger's WHEN condition cannot reference NEW values")
	case !isNew || b.tree.Timing != trigger.Before:
		return nil
	default:
		column := &t.Columns[c.Index-len(t.Columns)]
		if column.Generated == nil {
			return nil
		}
		detail := "A whole-row reference is used and the table contains generated columns."
		if c.Pos > 0 {
			detail = "Column \"" + column.Name + "\" is a generated column."
		}
		e = invalidDefinition("BEFORE trigger's WHEN condition cannot reference NEW generated columns").
			WithDetail("%s", detail)
	}
	if c.Pos > 0 {
		return e.At(c.Pos - 1)
	}
	return e.At(int(analyze.Start(b.tree.When)))
}

// columns finds the columns of UPDATE OF.
func (b triggerBuilder) columns(out *catalog.Trigger) error {
	for _, n := range b.tree.Columns {
		id := uint32(0)
		switch on := b.on.(type) {
		case *catalog.Table:
			if i := on.Column(n.Name); i >= 0 && !on.Columns[i].Hidden {
				id = on.Columns[i].ID
			}
		case *catalog.View:
			id = uint32(on.Column(n.Name) + 1)
		}
		switch {
		case id == 0:
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", n.Name,
				b.on.Ref().Name)
		case slices.Contains(out.Columns, id):
			return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", n.Name)
		}
		out.Columns = append(out.Columns, id)
	}
	return nil
}

// IsTriggerFunction says whether a function returns what a trigger wants.
func IsTriggerFunction(result types.OID) bool { return types.InfoOf(result).Name == "trigger" }
