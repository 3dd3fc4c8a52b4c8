package dynamofake

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// request is an operation with its parameters.
type request interface {
	// names are the tables that it is for.
	names() []string
	// check finds what is wrong with the parameters, whatever the tables are.
	check() error
	// run carries the operation out, under the lock.
	run(c *call) (fields, error)
}

// newRequest gives the parameters of an operation to decode, nil for one that is not known.
func newRequest(op string) request {
	switch op {
	case "GetItem":
		return &getItem{}
	case "PutItem":
		return &putItem{}
	case "DeleteItem":
		return &deleteItem{}
	case "UpdateItem":
		return &updateItem{}
	case "Query":
		return &query{}
	case "Scan":
		return &scan{}
	case "BatchGetItem":
		return &batchGet{}
	case "BatchWriteItem":
		return &batchWrite{}
	case "TransactWriteItems":
		return &transactWrite{}
	case "TransactGetItems":
		return &transactGet{}
	}
	return newTableRequest(op)
}

// call is a request under way, under the lock.
type call struct {
	*Fake
	Request
	faults Faults // what may happen to this request
	random *rand.Rand
	now    time.Time
	used   usage
	lag    string // see lagSeed
	made   *index // which the request makes, and its answer shows as begun
}

// answer is what a client gets: a status with a body, or a cut connection.
type answer struct {
	status int
	body   []byte
	cut    bool
}

// serve answers a request of a client.
func (f *Fake) serve(client, op string, body []byte) answer {
	r := Request{Client: client, Op: op, Body: body}
	parameters, err := decode(op, body)
	if err == nil {
		r.Tables = parameters.names()
		slices.Sort(r.Tables)
		r.Tables = slices.Compact(r.Tables)
	}
	f.mu.Lock()
	f.numbers[client]++
	r.Number = f.numbers[client]
	f.mu.Unlock()
	if f.options.Before != nil {
		f.options.Before(&r)
	}
	a := f.carryOut(&r, parameters, err)
	if f.options.After != nil {
		f.options.After(&r)
	}
	return a
}

// decode reads the parameters of an operation.
func decode(op string, body []byte) (request, error) {
	r := newRequest(op)
	if r == nil {
		return nil, fail("UnknownOperationException", "An unknown operation was requested.")
	}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, err
	}
	return r, nil
}

// carryOut makes the answer to a request.
func (f *Fake) carryOut(r *Request, parameters request, err error) answer {
	if err == nil {
		err = checkNames(r.Tables)
	}
	if err == nil {
		err = parameters.check()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := &call{Fake: f, Request: *r, faults: f.faults.of(r), random: f.generator(r), now: f.options.Now()}
	c.begin()
	out, a := fields(nil), (*answer)(nil)
	if err == nil {
		out, a, err = c.perform(parameters)
	}
	c.count(err != nil || a != nil, false)
	switch {
	case a != nil:
		return *a
	case err != nil:
		failed := failureOf(err)
		return answer{status: failed.status, body: failed.body()}
	}
	return answer{status: 200, body: appendJSON(nil, out)}
}

// checkNames refuses names that no table has.
func checkNames(tables []string) error {
	for _, name := range tables {
		if err := checkTableName(name); err != nil {
			return err
		}
	}
	return nil
}

// generator makes the draws of a request.
func (f *Fake) generator(r *Request) *rand.Rand {
	return rand.New(rand.NewPCG(f.options.Seed, mix(r.Client)+uint64(r.Number)))
}

// mix makes a number of a text: FNV-1a, and the last steps of SplitMix64, without which texts
// that differ in their last bytes only would lie together.
func mix(text string) (n uint64) {
	n = 14695981039346656037
	for i := range len(text) {
		n = (n ^ uint64(text[i])) * 1099511628211
	}
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// begin does what is due before any request: tables and indexes are gone, delayed writes land.
func (c *call) begin() {
	for name, t := range c.tables {
		if !t.dropped.IsZero() && !c.now.Before(t.dropped) {
			delete(c.tables, name)
		}
		t.forgetIndexes(c.now)
	}
	for _, d := range c.waiting {
		d.requests--
	}
	c.land(func(d *delayed) bool { return d.requests <= 0 })
	if c.draw(c.faults.Expire) {
		c.expire(func() bool { return c.random.IntN(2) == 0 })
	}
}

// table finds a table that data can be read from and written to.
func (c *call) table(name string) (*table, error) {
	t := c.tables[name]
	if t == nil || !t.usable(c.now) {
		return nil, fail(notFound, "Requested resource not found")
	}
	return t, nil
}

// nameOf takes the name of a table out of its ARN.
func nameOf(table string) string {
	if _, name, ok := strings.Cut(table, ":table/"); ok {
		return name
	}
	return table
}
