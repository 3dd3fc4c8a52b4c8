// Package anomaly finds in the history of transactions what isolation levels forbid, as the checker Elle does
// (Kingsbury and Alvaro, 2020). Transactions append unique values to lists and read them, so that what is read
// tells the order of the writes; dependencies of Adya's kinds follow from it, and their cycles are the anomalies.
// The clients that record histories are not here; read Check first, then versions.go for the orders and graph.go
// for the cycles.
package anomaly

import (
	"fmt"
	"strings"
)

// Level is what a transaction is promised.
type Level int

// The levels, those of PostgreSQL as it keeps them: a higher one forbids all that a lower one forbids.
const (
	ReadCommitted  Level = iota // forbids G0, G1a, G1b and G1c
	StableRows                  // is none of PostgreSQL's: forbids lost updates and fuzzy reads, too
	RepeatableRead              // is snapshot isolation: forbids G-single, too, of which a lost update is one
	Serializable                // forbids every cycle
)

// String is the name of a level in SQL.
func (l Level) String() string {
	return [...]string{"read committed", "stable rows", "repeatable read", "serializable"}[l]
}

// Outcome is how a transaction ended, as far as its client knows.
type Outcome int

// The outcomes.
const (
	Committed Outcome = iota
	Aborted
	Unknown // counts as committed if a committed transaction has read what it wrote
)

// Action is what an Op does.
type Action int

// The actions. A list begins empty. After Delete a list takes no more values.
const (
	Read   Action = iota
	Append        // adds Value to the list
	Delete        // ends the list, which was List before
	Below         // is a read that tells only that the list had fewer than Value values
)

// Op is one operation of a transaction on one list. A statement that touches several lists is several Ops.
type Op struct {
	Action Action
	Key    string
	Value  int   // of Append and Below; no value is appended twice to one list
	List   []int // of Read and Delete
	Gone   bool  // of Read: the list was deleted
	// Predicate says of a read that its statement selects lists by a condition. It is a read of each list that could
	// meet the condition, of those that did not exist, too.
	Predicate bool
}

// String tells an operation in a report.
func (o Op) String() string {
	switch {
	case o.Action == Append:
		return fmt.Sprintf("append %d to %s", o.Value, o.Key)
	case o.Action == Delete:
		return fmt.Sprintf("delete %s %v", o.Key, o.List)
	case o.Action == Below:
		return fmt.Sprintf("read %s of fewer than %d", o.Key, o.Value)
	case o.Gone:
		return fmt.Sprintf("read %s deleted", o.Key)
	}
	return fmt.Sprintf("read %s %v", o.Key, o.List)
}

// Transaction is a transaction as its client has seen it. Began and Ended are moments of a clock that all clients
// share: before the first statement was sent, and after COMMIT was answered.
type Transaction struct {
	ID           int // for reports
	Level        Level
	Outcome      Outcome
	Began, Ended int64
	Ops          []Op
}

// String tells in a report what a transaction did.
func (t *Transaction) String() string {
	ops := make([]string, len(t.Ops))
	for i, op := range t.Ops {
		ops[i] = op.String()
	}
	return fmt.Sprintf("T%d, %s: %s", t.ID, t.Level, strings.Join(ops, "; "))
}
