package plan

// Identity says how rows of a cursor tell which row of a table they were made of: by columns behind those of the query.
type Identity struct {
	Table  uint32 // the relation that the query names
	Name   string
	Locked bool // the query locks its rows
	At     int  // the first of its columns
	Keys   int  // how many they are: those of the primary key of the table
}
