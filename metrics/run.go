// Package metrics counts what statements did: in total since the start, and for each statement text. It does not
// know the statements themselves: it gets their counts when they end.
//
// It also exports these counters, and those of other packages, to Prometheus. They are read when Prometheus asks,
// not when statements run.
package metrics

import (
	"math"
	"time"
)

// Kind is a kind of statement.
type Kind uint8

// The kinds of statements.
const (
	Unparsed    Kind = iota // what no grammar could read
	Select                  // SELECT, VALUES, TABLE
	Insert                  // INSERT
	Update                  // UPDATE, MERGE
	Delete                  // DELETE
	Copy                    // COPY
	Definition              // what changes the schema
	Transaction             // BEGIN, COMMIT and their kin, and the commits that no statement asks for
	Setting                 // SET, SHOW, DISCARD
	Cursor                  // DECLARE, FETCH, CLOSE
	Prepared                // PREPARE, DEALLOCATE
	Explain                 // EXPLAIN, also one that runs the statement
	Other                   // everything else
	kinds
)

var kindNames = [kinds]string{"unparsed", "select", "insert", "update", "delete", "copy", "ddl", "transaction", "set",
	"cursor", "prepare", "explain", "other"}

// String is the name of a kind in metrics.
func (k Kind) String() string { return kindNames[k] }

// Counter is one of the things that are counted.
type Counter uint8

// What is counted.
const (
	RowsRead     Counter = iota // items that the store delivered
	KeysRead                    // keys that it passed over or delivered
	RowsReturned                // rows that the client got, or that were written
	Scans                       // accesses to a table or an index
	Ranges                      // ranges that these read
	Requests                    // round trips to the store, or for an embedded one ranges and gets
	Lookups                     // rows fetched behind index entries
	BytesRead                   // of keys and values that the store delivered
	ItemsWritten                // items put and deleted
	BytesWritten                // of their keys and values
	BytesSpilled                // that sorts and joins wrote to temporary files
	Conflicts                   // commits that met a conflict, also those that were tried again
	ReadHalves                  // read units that the store was charged, in halves: an eventual read takes one
	WriteHalves                 // write units, in halves
	Throttled                   // attempts at requests that were refused for the load, and made again
	LockWait                    // nanoseconds that statements waited for locks
	counters
)

// Usage is how much of each a statement took.
type Usage [counters]int64

// Add adds another usage.
func (u *Usage) Add(o *Usage) {
	for c := range u {
		u[c] += o[c]
	}
}

// ReadUnits is how many read units there are.
func (u *Usage) ReadUnits() float64 { return float64(u[ReadHalves]) / 2 }

// WriteUnits is how many write units there are.
func (u *Usage) WriteUnits() float64 { return float64(u[WriteHalves]) / 2 }

// Run is one statement that has ended.
type Run struct {
	Kind     Kind
	State    string // the SQLSTATE; empty: it succeeded
	Duration time.Duration
	Usage    Usage
	// Expected says that ExpectedRows are how many rows it was expected to return or write, and ExpectedUnits how many
	// read units it was expected to be charged.
	Expected                    bool
	ExpectedRows, ExpectedUnits float64
}

// judged is how right the estimates were of those calls of a statement of which there was one.
type judged struct {
	Calls       int64
	Rows, Units float64 // that were expected, in sum
	logs        float64 // of the q-errors of the rows, their sum
}

func (j *judged) add(r *Run) {
	if !r.Expected || r.State != "" {
		return
	}
	j.Calls++
	j.Rows, j.Units = j.Rows+r.ExpectedRows, j.Units+r.ExpectedUnits
	j.logs += math.Abs(math.Log(math.Max(1, r.ExpectedRows) / math.Max(1, float64(r.Usage[RowsReturned]))))
}

// QError is by which factor the rows were off, the geometric mean of all calls (Moerkotte, Neumann and Steidl, 2009);
// at least 1.
func (j *judged) QError() float64 { return math.Exp(j.logs / float64(max(j.Calls, 1))) }

// Clone is a copy.
func (r *Run) Clone() *Run {
	c := *r
	return &c
}

// ok is the outcome of what succeeded.
const ok = "ok"

// Outcome is ok, or the class of the SQLSTATE.
func (r *Run) Outcome() string {
	if len(r.State) < 2 {
		return ok
	}
	return r.State[:2]
}
