package syscat

import (
	"strconv"
	"time"

	"zproxy/types"
)

// Lock is a lock that a session has or waits for.
type Lock struct {
	Type          string // as pg_locks calls it
	Database      uint32
	Class, Object uint32 // of an object, or the halves of the key of an advisory lock
	Numbers       int    // by how many numbers an advisory lock is named
	Transaction   uint64 // that is locked
	PID           uint32
	Mode          string
	Granted       bool
	Since         time.Time // of a wait
}

// locks shows each lock in the columns of its kind.
func locks(r *rows) {
	for _, l := range r.Session.Locks() {
		null := types.Null
		database, relation, virtual, transaction, class, object, sub := null, null, null, null, null, null, null
		here := number(l.Database)
		switch l.Type {
		case "relation":
			database, relation = here, number(l.Object)
		case "virtualxid":
			virtual = text(virtualNumber(l.PID))
		case "transactionid":
			transaction = number(uint32(l.Transaction))
		default:
			database, class, object, sub = here, number(l.Class), number(l.Object), number(l.Numbers)
		}
		r.add(text(l.Type), database, relation, virtual, transaction, class, object, sub, text(virtualNumber(l.PID)),
			number(l.PID), text(l.Mode), boolean(l.Granted), momentOrNull(l.Since))
	}
}

// virtualNumber names the transaction that a session is in, of which it has one at a time.
func virtualNumber(pid uint32) string { return strconv.FormatUint(uint64(pid), 10) + "/1" }
