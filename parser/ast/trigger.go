package ast

import "zproxy/catalog/trigger"

func (*CreateTrigger) statement() {}

// CreateTrigger is CREATE [OR REPLACE] [CONSTRAINT] TRIGGER.
type CreateTrigger struct {
	Name       string
	Replace    bool
	Table      Name
	Timing     trigger.Timing
	Events     trigger.Events
	Row        bool
	Columns    []ColumnName // of UPDATE OF
	When       Expr
	WhenText   string
	Function   Name
	Args       []string
	Transition []Transition
	Constraint bool
	From       *Name // the table of FROM; nil: none
	Timed
}

// Timed says when a constraint is checked.
type Timed struct{ Deferrable, Deferred bool }

// Transition is OLD TABLE or NEW TABLE of a trigger.
type Transition struct {
	Name string
	New  bool
	Row  bool // ROW in the place of TABLE
}

// TriggerSwitch is what ALTER TABLE ENABLE or DISABLE TRIGGER makes of triggers: the one of a name, or all, or those
// that are not of the system.
type TriggerSwitch struct {
	Enabled    trigger.Enabled
	All, Users bool
}
