package syscat

import (
	"time"

	"zproxy/catalog"
	"zproxy/catalog/tally"
	"zproxy/expr/builtin/system"
	"zproxy/store"
	"zproxy/types"
)

// Source is what rows are computed from: the database as one session sees it.
type Source struct {
	Catalog *catalog.Snapshot
	Store   store.Capabilities
	Env     *types.Env
	Objects system.Objects // what functions tell of objects, which relations tell too
	catalog.DatabaseNames
	Server   string // where tables of other programs are; empty: nowhere
	Portable bool   // definitions are for PostgreSQL
	// Bootstrap is the name by which the session calls the superuser that was given no name.
	Bootstrap string
	Session   Session
	// Builds are the builds of indexes that go on or have failed.
	Builds func() ([]*catalog.Build, error)
	Heat   Heat
	Tally  Tally
	Large  LargeObjects
}

// Tally tells how many rows of tables this process has changed.
type Tally interface {
	Total(table uint32) tally.Changes
	Since(table uint32, made time.Time) tally.Changes
}

// Session is what relations tell of the session that reads them, and what that may know of
// others.
type Session interface {
	Settings() []Setting
	Prepared() []Prepared
	Cursors() []Cursor
	Activity() []Activity
	Statements() []Statement
	Locks() []Lock
}

// Heat tells which keys are hot.
type Heat interface {
	HotKeys() []HotKey
	KeyHeat() []KeyHeat
	CachedTables() []CachedTable
}

// Setting is a parameter of the session. Its values are as SHOW prints them: the one of now,
// the one that the session began with, and the one of a session that asks for nothing.
type Setting struct {
	Name, Value, Reset, Initial, Doc, Detail string
	Fixed                                    bool
}

// Prepared is a prepared statement.
type Prepared struct {
	Name, Text string
	Made       time.Time
	Params     []types.OID
	SQL        bool // by PREPARE, not by the protocol
}

// Cursor is a cursor, or a portal of the protocol.
type Cursor struct {
	Name, Text         string
	Made               time.Time
	Hold, Binary, Both bool // Both: it goes back, too
}
