package faults

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"zproxy/store"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
)

// backend is what the servers of a run share.
type backend struct {
	open      func(s *server) store.Store
	rough     func() // begins the faults
	faultless func() // ends them; what is on its way arrives
	close     func()
}

// openBackend draws a store. Most runs play on the fake.
func (w *world) openBackend() *backend {
	if *memoryFlag || w.IntN(4) == 0 {
		return w.openMemory()
	}
	return w.openFake()
}

func (w *world) openMemory() *backend {
	options := []memstore.Options{
		{},
		{Unordered: true, Loose: true, MostTogether: 100},
		{Unordered: true, Loose: true, RangePrice: 35},
	}
	o := options[w.IntN(len(options))]
	st := memstore.New(o)
	c := drawChances(w.Rand)
	w.note("memory %+v, %+v, slow %v", o, c, w.slow)
	late := &sync.WaitGroup{}
	return &backend{
		open:      func(s *server) store.Store { return newFlaky(st, s, c, late) },
		rough:     func() { w.setFaultless(false) },
		faultless: func() { w.setFaultless(true); late.Wait() },
		close: func() {
			if err := st.Close(); err != nil {
				w.Error(err)
			}
		},
	}
}

// openFake has a DynamoDB of which each server is a client of its own.
func (w *world) openFake() *backend {
	faults := w.drawFaults()
	if w.garbage = w.IntN(8) == 0; w.garbage {
		faults.Garbage = 0.1
	}
	f := dynamofake.New(dynamofake.Options{Seed: w.seed, Now: time.Now, PageItems: []int{0, 0, 3, 50}[w.IntN(4)]})
	together := []int{0, 0, 1, 3}[w.IntN(4)] // writes by one request, more by intents
	w.note("fake %+v, slow %v, %d together", faults, w.slow, together)
	var opened []store.Store
	return &backend{
		open: func(s *server) store.Store {
			g := &gate{server: s, to: f.Client(fmt.Sprint("server", s.number))}
			st, err := dynamostore.Open(w.Context(),
				dynamostore.Options{Region: "us-east-1", Endpoint: "http://127.0.0.1:1", HTTPClient: g,
					MostTogether: together})
			if err != nil {
				w.Fatal(err)
			}
			opened = append(opened, st)
			return st
		},
		rough:     func() { w.setFaultless(false); f.SetFaults(faults) },
		faultless: func() { w.setFaultless(true); f.EndFaults() },
		close: func() {
			for _, st := range opened {
				if err := st.Close(); err != nil {
					w.Error(err)
				}
			}
		},
	}
}

// drawFaults makes some faults frequent, some rare, and lets some be absent.
func (w *world) drawFaults() dynamofake.Faults {
	some := func() float64 { return []float64{0, 0, 0.01, 0.05, 0.2}[w.IntN(5)] }
	return dynamofake.Faults{
		Throttle: some(), ErrorBefore: some(), ErrorAfter: some(), CutBefore: some(), CutAfter: some(), Delay: some(),
		Conflict: some(), Cancel: some(), InProgress: some(), Forget: 0, Mismatch: some() / 4, Partial: some(),
		Lag:   some(),
		Pages: some(), Expire: some(),
		// the rest is not for tables like ours
		Cancellations: []string{"TransactionConflict", "ProvisionedThroughputExceeded", "ThrottlingError"},
	}
}

// gate lets requests to the fake go by turns.
type gate struct {
	server *server
	to     *dynamofake.Client
}

// Do implements aws.HTTPClient. What tells requests apart does not depend on the order of attributes, nor on a token.
func (g *gate) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	sum := len(body)
	if !bytes.Contains(body, []byte("ClientRequestToken")) {
		for _, b := range body {
			sum += int(b) * int(b)
		}
	}
	if err := g.server.request(r.Context(), fmt.Sprint(r.Header.Get("X-Amz-Target"), sum)); err != nil {
		return nil, err
	}
	return g.to.Do(r)
}
