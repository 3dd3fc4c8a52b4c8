// Package reference has foreign keys as the catalog keeps them: which columns of a table refer to which columns of
// another one, and what becomes of rows when the row that they refer to changes. A key belongs to the table whose
// rows refer. The table that they refer to lists only the tables that have such keys, so that both tables get a new
// version when a key comes or goes. Package executor checks keys, and the session carries out their actions.
package reference

import "slices"

// Key is one foreign key of a table.
type Key struct {
	ID      uint32
	Name    string
	Columns []uint32 // of the table itself
	Table   uint32   // that is referred to
	Refers  []uint32 // its columns, one for each of Columns
	// Index is the unique index over Refers, by the number that TableIndex.Number gives.
	Index    uint32
	Full     bool `json:",omitempty"` // MATCH FULL: all columns are NULL, or none is
	OnDelete Action
	OnUpdate Action
	Sets     []uint32 `json:",omitempty"` // the columns that ON DELETE SET sets; nil: all of Columns
	Timing
	Validity
	Comment string `json:",omitempty"`
}

// Validity is which rows meet a constraint.
type Validity struct {
	NotValid    bool `json:",omitempty"` // rows that were there before may not meet it
	NotEnforced bool `json:",omitempty"` // it is never checked, and therefore not valid, either
}

// Conflict is why a constraint of a table cannot be that of a parent which is as given: NOT ENFORCED, NOT VALID, or ""
// where it can.
func (v Validity) Conflict(parent Validity) string {
	switch {
	case v.NotEnforced && !parent.NotEnforced:
		return "NOT ENFORCED"
	case v.NotValid && !v.NotEnforced && !parent.NotValid:
		return "NOT VALID"
	}
	return ""
}

// Clause is what says so behind a constraint. A program that does not know constraints which are not enforced may take
// one that is checked from now on for it.
func (v Validity) Clause(portable bool) string {
	switch {
	case v.NotEnforced && !portable:
		return " NOT ENFORCED"
	case v.NotValid:
		return " NOT VALID"
	}
	return ""
}

// Timing is when a constraint is checked: at the end of each statement, or of the transaction.
type Timing struct {
	Deferrable bool `json:",omitempty"` // a transaction may say when
	Deferred   bool `json:",omitempty"` // and begins with the end of the transaction
}

// Clauses are those that say so behind a constraint.
func (t Timing) Clauses() string {
	switch {
	case t.Deferred:
		return " DEFERRABLE INITIALLY DEFERRED"
	case t.Deferrable:
		return " DEFERRABLE"
	}
	return ""
}

// Action is what becomes of rows when the row that they refer to is deleted or gets another key, by SQL's words.
type Action string

// The actions.
const (
	NoAction   Action = "NO ACTION"
	Restrict   Action = "RESTRICT"
	Cascade    Action = "CASCADE"
	SetNull    Action = "SET NULL"
	SetDefault Action = "SET DEFAULT"
)

// Writes says whether an action writes the rows that refer.
func (a Action) Writes() bool { return a == Cascade || a == SetNull || a == SetDefault }

// Code is the action in pg_constraint.
func (a Action) Code() string {
	return map[Action]string{NoAction: "a", Restrict: "r", Cascade: "c", SetNull: "n", SetDefault: "d"}[a]
}

// Set is the columns that ON DELETE SET NULL or SET DEFAULT sets.
func (k *Key) Set() []uint32 {
	if k.Sets != nil {
		return k.Sets
	}
	return k.Columns
}

// Uses says whether a column of the table is part of the key.
func (k *Key) Uses(column uint32) bool { return slices.Contains(k.Columns, column) }

// List is the foreign keys of a table.
type List []Key

// Find is the key of a name, nil where there is none.
func (l List) Find(name string) *Key {
	for i := range l {
		if l[i].Name == name {
			return &l[i]
		}
	}
	return nil
}

// Numbered is the key with a number, nil where there is none.
func (l List) Numbered(id uint32) *Key {
	for i := range l {
		if l[i].ID == id {
			return &l[i]
		}
	}
	return nil
}

// Last is the key that was added last.
func (l List) Last() *Key { return &l[len(l)-1] }

// Without is the list without the key of a number.
func (l List) Without(id uint32) List {
	return slices.DeleteFunc(slices.Clone(l), func(k Key) bool { return k.ID == id })
}

// With is the list with a key added, or in its old position.
func (l List) With(k Key) List {
	out := slices.Clone(l)
	if same := out.Numbered(k.ID); same != nil {
		*same = k
		return out
	}
	return append(out, k)
}

// To are the keys that refer to a table.
func (l List) To(table uint32) (out List) {
	for _, k := range l {
		if k.Table == table {
			out = append(out, k)
		}
	}
	return out
}

// Enforced are the keys that are checked.
func (l List) Enforced() List {
	return slices.DeleteFunc(slices.Clone(l), func(k Key) bool { return k.NotEnforced })
}

// Tables are the foreign keys of a table, and the tables that have keys which refer to it.
type Tables struct {
	ForeignKeys List     `json:",omitempty"`
	Referrers   []uint32 `json:",omitempty"` // the table itself, too, if it refers to itself
	// Unchecked says that the triggers of the table are disabled: no key of it is checked, and none that refers to it
	// acts.
	Unchecked bool `json:",omitempty"`
}
