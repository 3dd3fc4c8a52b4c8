// Package trigger has what a trigger is but for its condition, as the catalog keeps it: when it fires, on which events,
// for rows or for statements, which function it runs, and with which arguments. A trigger belongs to a table or a view,
// in whose descriptor it is, so that these get a new version when one comes or goes. Package executor says when
// triggers fire, and the session runs their functions.
package trigger

import (
	"slices"
	"strings"
)

// Definition is one trigger of a table or a view, without its condition.
type Definition struct {
	ID       uint32
	Name     string
	Function uint32
	Timing   Timing
	Events   Events
	Row      bool     `json:",omitempty"` // it fires for each row, and not for each statement
	Columns  []uint32 `json:",omitempty"` // of UPDATE OF; nil: any
	Args     []string `json:",omitempty"`
	// OldTable and NewTable are the names of its transition tables; empty: it has none.
	OldTable string `json:",omitempty"`
	NewTable string `json:",omitempty"`
	Constraint
	Enabled Enabled `json:",omitempty"`
	// Parent is the trigger of the partitioned table of which this one of a partition is a copy; 0: it is none.
	Parent  uint32 `json:",omitempty"`
	Comment string `json:",omitempty"`
}

// Constraint is what a constraint trigger is besides.
type Constraint struct {
	// ConstraintID is its number in pg_constraint; 0: it is no constraint trigger.
	ConstraintID uint32 `json:",omitempty"`
	From         uint32 `json:",omitempty"` // the table of FROM; 0: none
	Deferrable   bool   `json:",omitempty"`
	Deferred     bool   `json:",omitempty"` // a transaction begins with it deferred
}

// Timing is when a trigger fires, by SQL's words.
type Timing string

// The timings.
const (
	Before  Timing = "BEFORE"
	After   Timing = "AFTER"
	Instead Timing = "INSTEAD OF"
)

// Events are those on which a trigger fires.
type Events uint8

// The events, with PostgreSQL's bits in pg_trigger.
const (
	Insert   Events = 1 << 2
	Delete   Events = 1 << 3
	Update   Events = 1 << 4
	Truncate Events = 1 << 5
)

// words are the events in the order in which PostgreSQL prints them.
var words = []struct {
	event Events
	word  string
}{{Insert, "INSERT"}, {Delete, "DELETE"}, {Update, "UPDATE"}, {Truncate, "TRUNCATE"}}

// Words are the events by SQL's words, in the order in which PostgreSQL prints them.
func (e Events) Words() (out []string) {
	for _, w := range words {
		if e&w.event != 0 {
			out = append(out, w.word)
		}
	}
	return out
}

// Event is the event of a word, 0 if there is none.
func Event(word string) Events {
	for _, w := range words {
		if w.word == word {
			return w.event
		}
	}
	return 0
}

// String is the words of the events.
func (e Events) String() string { return strings.Join(e.Words(), " OR ") }

// Enabled says in which sessions a trigger fires, by the letters of pg_trigger; empty is Origin.
type Enabled string

// The states.
const (
	Origin   Enabled = ""
	Disabled Enabled = "D"
	Replica  Enabled = "R"
	Always   Enabled = "A"
)

// Letter is the state in pg_trigger.
func (e Enabled) Letter() string {
	if e == Origin {
		return "O"
	}
	return string(e)
}

// Fires says whether a trigger with the state fires in a session, which may be a replica's.
func (e Enabled) Fires(replica bool) bool {
	switch e {
	case Disabled:
		return false
	case Replica:
		return replica
	case Always:
		return true
	}
	return !replica
}

// Of says whether the trigger fires at a time on an event, for rows or for statements.
func (d *Definition) Of(at Timing, e Events, row bool) bool {
	return d.Timing == at && d.Events&e != 0 && d.Row == row
}

// IsConstraint says whether it is a constraint trigger.
func (d *Definition) IsConstraint() bool { return d.ConstraintID != 0 }

// Transitions says whether it has transition tables.
func (d *Definition) Transitions() bool { return d.OldTable != "" || d.NewTable != "" }

// Uses says whether UPDATE OF names a column.
func (d *Definition) Uses(column uint32) bool { return slices.Contains(d.Columns, column) }

// Type is the trigger in the bits of pg_trigger.
func (d *Definition) Type() int16 {
	out := int16(d.Events)
	if d.Row {
		out |= 1
	}
	switch d.Timing {
	case Before:
		out |= 1 << 1
	case Instead:
		out |= 1 << 6
	}
	return out
}
