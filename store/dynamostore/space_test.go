package dynamostore

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
)

// TestDropOfDropped drops a table several times at once, and with an answer that gets lost. A table that is
// being made or removed refuses that, but all wait until it is gone, and no longer.
func TestDropOfDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = 20 * time.Second
		f := dynamofake.New(dynamofake.Options{TableDelay: takes})
		s, cut := openOn(t, f, ""), 0
		var mu sync.Mutex
		f.SetFaults(dynamofake.Faults{CutAfter: 1, Only: func(r *dynamofake.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			if r.Op == "DeleteTable" {
				cut++
			}
			return r.Op == "DeleteTable" && cut == 1
		}})
		making := make(chan error)
		go func() { making <- s.Create(t.Context(), items(1)) }()
		time.Sleep(takes / 2)
		began := time.Now()
		var drops sync.WaitGroup
		for range 3 {
			drops.Go(func() {
				if err := s.Drop(t.Context(), items(1)); err != nil {
					t.Error(err)
				}
			})
		}
		drops.Wait()
		if took := time.Since(began); took < takes || took > takes/2+takes+2*maxTablePoll {
			t.Errorf("gone after %v", took)
		}
		if spaces, err := s.Spaces(t.Context()); err != nil || len(spaces) > 0 {
			t.Errorf("%v, %v", spaces, err)
		}
		<-making // it may have seen the table or not
	})
}

// TestNoDescription asks about tables of which the answer tells nothing.
func TestNoDescription(t *testing.T) {
	for _, answer := range []string{
		`{}`, `{"Table":{"TableStatus":"ACTIVE"}}`,
		`{"Table":{"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}]}}`,
		`{"Table":{"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
			"LocalSecondaryIndexes":[{"IndexName":"l","KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"q","KeyType":"RANGE"}]}]}}`,
	} {
		s := openFake(t, func(string, []byte) (int, string, error) { return 200, answer, nil })
		if of, err := s.Describe(t.Context(), "other"); !isGarbage(err) {
			t.Errorf("%s: %+v, %v", answer, of, err)
		}
	}
	s := openFake(t, func(string, []byte) (int, string, error) { return 200, `{}`, nil })
	if err := s.AlterSpace(t.Context(), items(1)); !isGarbage(err) {
		t.Errorf("alter: %v", err)
	}
	s = openFake(t, func(string, []byte) (int, string, error) {
		return 200, `{"Items":[],"LastEvaluatedKey":{"p":{"S":"x"}}}`, nil
	})
	if of, err := s.Sample(t.Context(), "other", 10); err != nil || of != nil {
		t.Errorf("sample: %v, %v", of, err)
	}
}

// TestDropRefused does not wait where there is no hope.
func TestDropRefused(t *testing.T) {
	s := openFake(t, func(string, []byte) (int, string, error) { return 400, invalid, nil })
	if err := s.Drop(t.Context(), items(1)); err == nil || errors.Is(err, store.ErrUnreachable) {
		t.Error(err)
	}
}
