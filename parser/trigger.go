package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/catalog/trigger"
	"zproxy/parser/ast"
)

// triggers converts the statements about triggers.
type triggers struct{ *converter }

// timings are those of triggers, by the bits of the grammar.
var timings = map[int32]trigger.Timing{0: trigger.After, 1 << 1: trigger.Before, 1 << 6: trigger.Instead}

func (c triggers) create(n *pg.CreateTrigStmt) ast.Statement {
	out := &ast.CreateTrigger{
		Name: n.Trigname, Replace: n.Replace, Table: c.tableOnly(n.Relation), Timing: timings[n.Timing],
		Events: trigger.Events(n.Events), Row: n.Row, Function: c.nameOf(names(n.Funcname)), Constraint: n.Isconstraint,
		Timed: ast.Timed{Deferrable: n.Deferrable, Deferred: n.Initdeferred},
	}
	for _, a := range n.Args {
		out.Args = append(out.Args, a.GetString_().GetSval())
	}
	for _, name := range names(n.Columns) {
		out.Columns = append(out.Columns, ast.ColumnName{Name: name, Pos: -1})
	}
	if n.WhenClause != nil {
		out.When, out.WhenText = c.expr(n.WhenClause), c.deparseExpr(n.WhenClause)
	}
	for _, t := range n.TransitionRels {
		r := t.GetTriggerTransition()
		out.Transition = append(out.Transition,
			ast.Transition{Name: r.GetName(), New: r.GetIsNew(), Row: !r.GetIsTable()})
	}
	if n.Constrrel != nil {
		from := c.tableOnly(n.Constrrel)
		out.From = &from
	}
	return out
}

// drop is DROP TRIGGER or RULE, whose grammar has one name behind that of its table.
func (c triggers) drop(kind ast.ObjectKind, n *pg.DropStmt) ast.Statement {
	c.refuse(n.Concurrent, n, "CONCURRENTLY")
	parts := names(n.Objects[0].GetList().GetItems())
	last := len(parts) - 1
	return &ast.Drop{Kind: kind, Names: []ast.Name{c.nameOf(parts[:last])}, Part: parts[last],
		IfExists: n.MissingOk, Cascade: cascades(n.Behavior)}
}

// switches are what ALTER TABLE makes of triggers.
var switches = map[pg.AlterTableType]ast.TriggerSwitch{
	pg.AlterTableType_AT_EnableTrig:        {},
	pg.AlterTableType_AT_EnableAlwaysTrig:  {Enabled: trigger.Always},
	pg.AlterTableType_AT_EnableReplicaTrig: {Enabled: trigger.Replica},
	pg.AlterTableType_AT_DisableTrig:       {Enabled: trigger.Disabled},
	pg.AlterTableType_AT_EnableTrigAll:     {All: true},
	pg.AlterTableType_AT_DisableTrigAll:    {Enabled: trigger.Disabled, All: true},
	pg.AlterTableType_AT_EnableTrigUser:    {Users: true},
	pg.AlterTableType_AT_DisableTrigUser:   {Enabled: trigger.Disabled, Users: true},
}

// switched is ENABLE or DISABLE TRIGGER, if a command is that.
func (c triggers) switched(n *pg.AlterTableCmd) (ast.AlterCommand, bool) {
	to, ok := switches[n.GetSubtype()]
	if !ok {
		return ast.AlterCommand{}, false
	}
	c.refuse(n.Def != nil || n.MissingOk || n.Num != 0 || cascades(n.Behavior), n,
		"this form of ENABLE or DISABLE TRIGGER")
	return ast.AlterCommand{Kind: ast.SwitchTriggers, Name: n.Name, Trigger: &to, Pos: -1}, true
}
