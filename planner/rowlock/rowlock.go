// Package rowlock is the words for locks of rows: how strong one is, and what is done about a row that another
// transaction has locked. SELECT ... FOR UPDATE and its kin say both for each of their tables. Which rows they are is
// said by plan.LockRows, and locking them is the executor's matter.
package rowlock

// Lock says how rows are locked.
type Lock struct {
	Strength Strength
	Wait     Wait
	Writes   bool // the row is to be written
}

// Strength says which other locks of a row one excludes. A greater one excludes all that a lesser one does.
type Strength uint8

// The strengths.
const (
	KeyShare Strength = iota
	Share
	NoKeyUpdate
	Update
)

// Wait says what is done about a row that another transaction has locked.
type Wait uint8

// What may be done. A greater one counts where several are asked for.
const (
	Block  Wait = iota // wait until it is free
	Skip               // pass it over
	NoWait             // fail
)

// strengths are the texts of the strengths.
var strengths = [...]string{"KEY SHARE", "SHARE", "NO KEY UPDATE", "UPDATE"}

// String is the clause that asks for a strength.
func (s Strength) String() string { return "FOR " + strengths[s] }

// And is what two clauses ask for together.
func (l Lock) And(o Lock) Lock {
	return Lock{Strength: max(l.Strength, o.Strength), Wait: max(l.Wait, o.Wait)}
}

// Of is the clause for a table.
func (l Lock) Of(table string) string {
	return l.Strength.String() + " OF " + table + [...]string{"", " SKIP LOCKED", " NOWAIT"}[l.Wait]
}
