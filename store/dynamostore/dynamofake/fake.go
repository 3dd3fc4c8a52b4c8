// Package dynamofake is DynamoDB in memory, for tests, behind the real SDK. It does what
// DynamoDB does and an emulator does not: transactions conflict, requests are throttled for
// every reason, batches are done in part, writes are made though the answer says otherwise or
// comes never, eventual reads lag, pages end anywhere, and capacity is counted as the
// documentation has it. Which of that happens is drawn from a seed, see Faults; without faults
// it is correct and quick.
//
// # How a request goes
//
// A Client or the HTTP server gives the body of a request to Fake.serve. The operation is a
// request struct, which is decoded and checked without the lock. Then, under one lock, faults
// are drawn and the operation runs on the tables. All draws of a request come from a generator
// of its own, seeded by Options.Seed, the client and the number of the request among those of
// the client: what happens to a client does not depend on others.
package dynamofake

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Options say how a Fake behaves.
type Options struct {
	Seed   uint64
	Now    func() time.Time // nil: time.Now
	Faults Faults
	// PageItems is how many items a page of a Query or a Scan evaluates at most; 0: as many as 1 MB holds.
	PageItems int
	// UnorderedTies has items of an index with equal keys come in an order that says nothing, as DynamoDB may.
	UnorderedTies bool
	// TableDelay is how long a table is being made, or removed, or an index of one that exists. The first
	// half of the making of an index is the allocation of its resources, the second the backfill.
	TableDelay time.Duration
	// ReadLimit and WriteLimit are the units that one value of a partition key takes in a second
	// of Now, 0 any number. DynamoDB's are MaxReads and MaxWrites.
	ReadLimit, WriteLimit float64
	// Provisioned holds tables and indexes with provisioned throughput to it.
	Provisioned bool
	// Before and After are called around every request, without a lock, so that they may block.
	// A client whose context ends meanwhile goes away, and its request is still carried out.
	Before, After func(*Request)
}

// What DynamoDB's partitions take in a second.
const (
	MaxReads  = 3000
	MaxWrites = 1000
)

// Request is a request as hooks see it.
type Request struct {
	Client string
	Number int // among the requests of the client, from 1
	Op     string
	Tables []string // those that it names, each once, in their order
	Body   []byte
}

// Fake is one account in one region. All methods may be called by several goroutines.
type Fake struct {
	options Options

	mu      sync.Mutex
	faults  Faults
	tables  map[string]*table
	numbers map[string]int // of requests, by client
	tallies map[Kind]Tally
	tokens  map[string]*attempt
	waiting []*delayed
	held    map[string]*delayed // by item: the transaction that is about to write it
	old     []outdated
	writes  uint64 // how many were made

	listener net.Listener
	server   *http.Server
}

// New makes an account without tables.
func New(o Options) *Fake {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Fake{
		options: o, faults: o.Faults, tables: map[string]*table{}, numbers: map[string]int{}, tallies: map[Kind]Tally{},
		tokens: map[string]*attempt{}, held: map[string]*delayed{},
	}
}

// SetFaults changes the faults.
func (f *Fake) SetFaults(faults Faults) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = faults
}

// EndFaults ends the faults, and makes the writes that are delayed.
func (f *Fake) EndFaults() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = Faults{}
	f.land(all)
}

// Delayed makes the writes that are delayed, and says how many requests there were.
func (f *Fake) Delayed() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := len(f.waiting)
	f.land(all)
	return n
}

// Kind is an operation on a table.
type Kind struct{ Op, Table string }

// Tally says how much was done. A request for several tables counts for each.
type Tally struct {
	Requests              int
	ReadUnits, WriteUnits float64
	Failed                int // requests with an error for an answer, or with none
}

// Requests says what was done of each kind since the beginning or the last ForgetRequests.
func (f *Fake) Requests() map[Kind]Tally {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[Kind]Tally, len(f.tallies))
	for k, t := range f.tallies {
		out[k] = t
	}
	return out
}

// ForgetRequests lets Requests begin anew.
func (f *Fake) ForgetRequests() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.tallies)
}
