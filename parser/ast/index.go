package ast

func (*AlterIndex) statement()   {}
func (*IndexOptions) statement() {}
func (*BuildIndex) statement()   {}
func (*Reindex) statement()      {}
func (*CheckIndex) statement()   {}

// Timing says whether a statement that fills an index waits until it is filled.
type Timing string

// The timings.
const (
	DefaultTiming Timing = ""      // nothing was said
	Async         Timing = "async" // ends at once; the index is filled in the background
	Sync          Timing = "sync"  // ends when the index is filled
)

// AlterIndex is Lindorm's ALTER INDEX i ON t ACTIVE | DISABLED.
type AlterIndex struct {
	Index    Name
	Table    Name
	IfExists bool
	Action   IndexAction
	Pos      Pos // of Action
}

// IndexAction is what an AlterIndex does.
type IndexAction string

// The actions.
const (
	ActivateIndex IndexAction = "active"
	DisableIndex  IndexAction = "disabled"
)

// IndexOptions is PostgreSQL's ALTER INDEX i SET | RESET (...), whose commands are SetOptions and
// ResetOptions, or with one ChangePartition ALTER INDEX i ATTACH PARTITION j.
type IndexOptions struct {
	Index    Name
	Table    *Name // ON t
	IfExists bool
	Commands []AlterCommand
}

// BuildIndex is Lindorm's BUILD INDEX i ON t, which fills an index anew.
type BuildIndex struct {
	Index    Name
	Table    Name
	IfExists bool
	Timing   Timing
}

// Reindex is REINDEX. A database may have no name, which is the present one.
type Reindex struct {
	Kind         ObjectKind // IndexObject, TableObject, SchemaObject or DatabaseObject
	Name         Name
	Table        *Name // ON t behind the name of an index
	Concurrently bool
}

// CheckIndex compares indexes with their table: CHECK INDEX i ON t, CHECK INDEXES ON t, and
// TiDB's ADMIN CHECK INDEX t i and ADMIN CHECK TABLE t.
type CheckIndex struct {
	Index  *Name // nil: all of the table
	Table  Name
	Repair bool
}
