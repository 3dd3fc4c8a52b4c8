package types

// RecordValue is one row as a value.
type RecordValue struct {
	Names  []string // f1, f2, ... where the query gave none
	Types  []T
	Values []Value
}
