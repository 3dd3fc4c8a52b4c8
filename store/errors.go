package store

import (
	"errors"
	"fmt"
)

// Errors that every store tells apart.
var (
	// ErrConflict means that a guard did not hold, or that a key which this transaction
	// wrote was written by another since it began. Nothing was written; the transaction
	// may be run again from its start.
	ErrConflict = errors.New("write conflict with another transaction")
	// ErrUnknown means that a commit may or may not have happened.
	ErrUnknown = errors.New("outcome of the commit is unknown")
	// ErrTooLarge means that a key, an item or a transaction is over a limit of the
	// store. Nothing was written. The error around it names the limit.
	ErrTooLarge = errors.New("over a limit of the store")
	// ErrBusy means that the store refused a request for its load, for as long as a caller
	// wanted to wait. Nothing was written. The error around it is a Busy that says where.
	ErrBusy = errors.New("the store is too busy")
	// ErrUnreachable means that the store did not answer, or failed, for as long as a caller
	// wanted to wait. A write may have been made.
	ErrUnreachable = errors.New("the store does not answer")
	// ErrGone means that a space is not there: it was dropped, perhaps by another process.
	ErrGone = errors.New("the space is not there")
	// ErrClosed means that the store or the transaction has ended.
	ErrClosed = errors.New("closed")
)

// Duplicate means that a bulk transaction has put two items at a key, one of them with a guard that there is none.
// Nothing was written.
type Duplicate struct {
	Space SpaceID
	Key   []byte // partition and sort part
}

// Error implements error.
func (d *Duplicate) Error() string {
	return fmt.Sprintf("two items of space %d at key %x", d.Space, d.Key)
}

// TooLarge is an ErrTooLarge about an item, with its key and columns.
type TooLarge struct {
	Space       string // its name
	Bytes, Most int
}

// Error implements error.
func (l *TooLarge) Error() string {
	return fmt.Sprintf("an item of %d bytes in space %s, at most %d: %v", l.Bytes, l.Space, l.Most, ErrTooLarge)
}

// Unwrap makes it an ErrTooLarge.
func (l *TooLarge) Unwrap() error { return ErrTooLarge }

// Busy is an ErrBusy with the space or partition that is too busy.
type Busy struct {
	Space     string // its name
	Partition []byte // of the key that was asked for; nil: several
	Hot       bool   // the partition is too busy, not the space as a whole
	Account   bool   // all spaces together are too busy: the limit is that of the store's account
	Write     bool   // a write was refused
	Reason    string // in the store's words
}

// Error implements error.
func (b *Busy) Error() string { return fmt.Sprintf("%v: space %s: %s", ErrBusy, b.Space, b.Reason) }

// Unwrap makes it an ErrBusy.
func (b *Busy) Unwrap() error { return ErrBusy }

// Refused means that a store does not make or keep a space as it was asked to, such as with more
// Capacity than it has, or changed too often. Nothing was changed, or not all of it.
type Refused struct {
	Space  string
	Reason string // in the store's words
}

// Error implements error.
func (r *Refused) Error() string { return fmt.Sprintf("space %s: %s", r.Space, r.Reason) }

// Denied means that a store does not let this process do something there, for any caller. Nothing
// was done by the request.
type Denied struct {
	Space  string // its name; empty: none, or several
	Reason string // in the store's words
	Grant  string // what would allow it, in the store's words; empty: that is not known
}

// Error implements error.
func (d *Denied) Error() string { return d.Reason }

// Damaged means that a store cannot read what was written, since a file is not as it was. Nothing was
// left out of an answer for it: there is none.
type Damaged struct {
	File   string   // its name; empty: it is not known
	Spaces []string // the names of those that may be concerned
	Reason string   // in the store's words
}

// Error implements error.
func (d *Damaged) Error() string {
	if d.File == "" {
		return "an item is damaged: " + d.Reason
	}
	return fmt.Sprintf("file %s is damaged: %s", d.File, d.Reason)
}

// Full means that a store refuses to write, since there is hardly room left. Nothing was written.
type Full struct {
	Dir         string // which has no room
	Left, Least int64  // bytes
}

// Error implements error.
func (f *Full) Error() string {
	return fmt.Sprintf("%d bytes are left in %s, which is less than %d", f.Left, f.Dir, f.Least)
}
