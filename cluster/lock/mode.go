package lock

import (
	"cmp"
	"fmt"
	"math/bits"

	"zproxy/catalog"
)

// Class says what a lock is of.
type Class uint8

// The classes of locks.
const (
	Row            Class = iota // or the key of a unique index
	Object                      // of the catalog
	AdvisoryNumber              // an advisory lock on one number
	AdvisoryPair                // an advisory lock on two small ones
	Rows                        // all of a space
)

// Tag names what is locked. For a row, Space is the number of its space and Key a hash of its key; for an object they
// are the OIDs of its catalog and of itself; for an advisory lock Space is 0, for all rows of a space Key is. Two rows
// with the same hash share a lock.
type Tag struct {
	Class    Class
	Database uint32 // where the rest may be the same in several databases; else 0
	Space    uint64
	Key      uint64
}

// hash mixes the parts of a tag so that consecutive numbers are in different shards.
func (t Tag) hash() uint64 {
	of := t.Space ^ uint64(t.Database)<<24 ^ uint64(t.Class)<<56
	high, low := bits.Mul64(t.Key^0x9e3779b97f4a7c15, of^0xc2b2ae3d27d4eb4f)
	return high ^ low
}

// Mode is how something is locked. All classes have PostgreSQL's modes of tables and their conflicts, of which each
// uses some.
type Mode uint8

// The modes of objects. Advisory locks are Share or Exclusive.
const (
	AccessShare Mode = iota
	RowShare
	RowExclusive
	ShareUpdateExclusive
	Share
	ShareRowExclusive
	Exclusive
	AccessExclusive
)

// The modes of rows, beside Share. They conflict with each other as PostgreSQL's FOR KEY SHARE, FOR SHARE, FOR NO KEY
// UPDATE and FOR UPDATE do.
const (
	KeyShare    = AccessShare
	NoKeyUpdate = Exclusive
	Update      = AccessExclusive
)

var modeNames = [...]string{"AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock",
	"ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"}

// String is PostgreSQL's name of a mode.
func (m Mode) String() string { return modeNames[m] }

// modes is a set of them.
type modes uint8

func setOf(all ...Mode) (out modes) {
	for _, m := range all {
		out |= m.bit()
	}
	return out
}

func (m Mode) bit() modes { return 1 << m }

const allModes modes = 1<<len(modeNames) - 1

var conflictsOf = [...]modes{
	AccessShare:          setOf(AccessExclusive),
	RowShare:             setOf(Exclusive, AccessExclusive),
	RowExclusive:         setOf(Share, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareUpdateExclusive: setOf(ShareUpdateExclusive, Share, ShareRowExclusive, Exclusive, AccessExclusive),
	Share:                setOf(RowExclusive, ShareUpdateExclusive, ShareRowExclusive, Exclusive, AccessExclusive),
	ShareRowExclusive:    allModes &^ setOf(AccessShare, RowShare),
	Exclusive:            allModes &^ setOf(AccessShare),
	AccessExclusive:      allModes,
}

// conflicts are the modes that an owner cannot have while another one has this one.
func (m Mode) conflicts() modes { return conflictsOf[m] }

// conflicts are the modes that conflict with any of these.
func (s modes) conflicts() (out modes) {
	for ; s != 0; s &= s - 1 {
		out |= conflictsOf[bits.TrailingZeros8(uint8(s))]
	}
	return out
}

// covers says whether what conflicts with a mode conflicts with these, too.
func (s modes) covers(m Mode) bool { return s&m.bit() != 0 || m.conflicts()&^s.conflicts() == 0 }

// classOfRelations is the OID of pg_class.
const classOfRelations = 1259

// Relation is the tag of a table, by its OID.
func Relation(oid uint32) Tag { return Tag{Class: Object, Space: classOfRelations, Key: uint64(oid)} }

// Event is what PostgreSQL calls a wait for the lock, and its kind in pg_locks.
func (t Tag) Event() string {
	switch {
	case t.Class == Row || t.Class == Rows:
		return "transactionid"
	case t.Class != Object:
		return "advisory"
	case t.Space == classOfRelations:
		return "relation"
	}
	return "object"
}

// describe says what an owner waits for in PostgreSQL's words: the mode and the lock. A wait for a row is one for the
// end of the transaction that blocks it.
func (t Tag) describe(m Mode, blocker *Owner) (mode, of string) {
	database := cmp.Or(t.Database, blocker.Database, catalog.DatabaseID)
	switch t.Class {
	case Row, Rows:
		return Share.String(), fmt.Sprintf("transaction %d", uint32(blocker.number()))
	case Object:
		if t.Space == classOfRelations {
			return m.String(), fmt.Sprintf("relation %d of database %d", t.Key, database)
		}
		return m.String(), fmt.Sprintf("object %d of class %d of database %d", t.Key, t.Space, database)
	}
	numbers := 1
	if t.Class == AdvisoryPair {
		numbers = 2
	}
	return m.String(), fmt.Sprintf("advisory lock [%d,%d,%d,%d]", database, t.Key>>32, uint32(t.Key), numbers)
}
