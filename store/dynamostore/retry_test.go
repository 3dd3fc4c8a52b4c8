package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"zproxy/store"
	"zproxy/types"
)

// getOne reads one item.
func getOne(ctx context.Context, t *testing.T, s *Store) error {
	ask := store.Get{Keys: []store.Key{key(1)}, Stats: &store.Stats{}}
	_, err := begin(t, s).Get(ctx, items(1), &ask, types.NewBatch(0))
	return err
}

// TestDeadline wants the last error of a request before its deadline, or after a while.
func TestDeadline(t *testing.T) {
	for _, limit := range []time.Duration{0, 300 * time.Millisecond, 10 * time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			s := openFake(t, func(string, []byte) (int, string, error) {
				attempts++
				return 400, slow, nil
			})
			ctx, want := t.Context(), maxPatience
			if limit > 0 {
				limited, done := context.WithTimeout(ctx, limit)
				defer done()
				ctx, want = limited, limit
			}
			began := time.Now()
			err := getOne(ctx, t, s)
			took := time.Since(began)
			if !errors.Is(err, store.ErrBusy) || ctx.Err() != nil || took > want || want-took > maxDelay ||
				attempts < 3 {
				t.Errorf("limit %v: %v after %v and %d attempts", limit, err, took, attempts)
			}
		})
	}
}

// hanging is a service that never answers.
type hanging struct{ attempts atomic.Int64 }

func (h *hanging) Do(r *http.Request) (*http.Response, error) {
	h.attempts.Add(1)
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestHanging gives up attempts that are not answered, and repeats those that may be repeated.
func TestHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h hanging
		s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: &h})
		if err != nil {
			t.Fatal(err)
		}
		s.recovery.Do(func() {}) // so that no other requests are counted
		began := time.Now()
		if err := getOne(t.Context(), t, s); !errors.Is(err, store.ErrUnreachable) || h.attempts.Load() != 3 ||
			time.Since(began) > maxPatience+attemptTime {
			t.Errorf("read: %v after %d attempts and %v", err, h.attempts.Load(), time.Since(began))
		}
		h.attempts.Store(0)
		tx := begin(t, s)
		if err := tx.Put(items(1), bodied(1), store.Absent); err != nil {
			t.Fatal(err)
		}
		ctx, done := context.WithTimeout(t.Context(), attemptTime+time.Second)
		defer done()
		if err := tx.Commit(ctx); !errors.Is(err, store.ErrUnknown) || h.attempts.Load() != 2 {
			t.Errorf("put: %v after %d attempts, the second to read it", err, h.attempts.Load())
		}
	})
}

// TestTokenTime makes no attempt at a transaction when DynamoDB may have forgotten its token.
func TestTokenTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var last time.Time
		s := openFake(t, func(action string, _ []byte) (int, string, error) {
			if action == "GetItem" {
				return 400, invalid, nil
			}
			last = time.Now()
			return 400, ongoing, nil
		})
		ctx, done := context.WithTimeout(t.Context(), time.Hour)
		defer done()
		tx := begin(t, s)
		err := errors.Join(tx.Put(items(1), bodied(1), store.Absent), tx.Put(items(1), bodied(2), store.Absent))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		err = tx.Commit(ctx)
		if took := last.Sub(began); !errors.Is(err, store.ErrUnknown) || took > tokenTime ||
			took < tokenTime-time.Minute {
			t.Errorf("%v, last attempt after %v", err, took)
		}
	})
}

// TestOutage has many clients of a service that fails for a minute. Repeated attempts are few
// beside those that clients begin, and all succeed when it is over.
func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts, during atomic.Int64
		over := time.Now().Add(20 * time.Second)
		s := openFake(t, func(string, []byte) (int, string, error) {
			attempts.Add(1)
			if time.Now().Before(over) {
				during.Add(1)
				return 503, `{}`, nil
			}
			return 200, `{}`, nil
		})
		var clients sync.WaitGroup
		for range 1000 {
			clients.Go(func() {
				if err := getOne(t.Context(), t, s); err != nil {
					t.Errorf("%v", err)
				}
			})
		}
		clients.Wait()
		if n := during.Load(); n > 1000+bucketSize+20*bucketRate {
			t.Errorf("%d attempts during the outage", n)
		}
		if m := s.Measures(); m["retries"] != float64(attempts.Load()-1000) || m["waited_seconds"] < 1000 ||
			m["in_flight"] != 0 {
			t.Errorf("measures %v after %d attempts", m, attempts.Load())
		}
	})
}

// slowly is a service that takes a while to answer.
type slowly struct{ inside, most atomic.Int64 }

func (s *slowly) Do(r *http.Request) (*http.Response, error) {
	s.most.Store(max(s.most.Load(), s.inside.Add(1)))
	defer s.inside.Add(-1)
	time.Sleep(time.Second)
	return service(func(string, []byte) (int, string, error) { return 200, `{}`, nil }).Do(r)
}

// TestInFlight bounds the requests that are under way. One that waits for room ends with its context.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var busy slowly
		s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: &busy, Requests: 4})
		if err != nil {
			t.Fatal(err)
		}
		s.recovery.Do(func() {}) // so that no other requests are counted
		began := time.Now()
		var clients sync.WaitGroup
		for range 20 {
			clients.Go(func() {
				if err := getOne(t.Context(), t, s); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		ctx, done := context.WithTimeout(t.Context(), time.Millisecond)
		defer done()
		if err := getOne(ctx, t, s); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waiting for room: %v", err)
		}
		clients.Wait()
		if busy.most.Load() != 4 || time.Since(began) != 5*time.Second {
			t.Errorf("%d at once, %v", busy.most.Load(), time.Since(began))
		}
	})
}

// TestBusy reads out of DynamoDB's answers where it is too busy.
func TestBusy(t *testing.T) {
	const (
		arn     = "arn:aws:dynamodb:eu-west-1:123456789012:table/"
		reasons = `{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"no","%s":[{"reason":"%s","resource":"` +
			arn + `%s"}]}`
		hot      = "TableWriteKeyRangeThroughputExceeded"
		account  = "TableWriteAccountLimitExceeded"
		tItems   = "zproxy.items.1"
		tOther   = "zproxy.other.2"
		upper    = "ThrottlingReasons"
		lower    = "throttlingReasons"
		plainHot = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Throughput exceeds the limits of TableReadKeyRangeThroughputExceeded."}`
	)
	other := items(2)
	other.Name = "other"
	one := func(tx store.Txn) error { return tx.Put(items(1), bodied(1), store.Absent) }
	two := func(tx store.Txn) error {
		return errors.Join(one(tx), tx.Put(other,
			store.Item{Key: store.Key{Partition: []byte("q")}, Values: bodied(1).Values}, store.Absent))
	}
	for _, c := range []struct {
		name   string
		write  func(store.Txn) error
		answer string
		want   store.Busy
	}{
		{"hot key", one, fmt.Sprintf(reasons, "ThrottlingException", lower, hot, tItems), store.Busy{Space: "items", Partition: []byte("p"), Hot: true, Reason: hot}},
		{"provisioned", one, fmt.Sprintf(reasons, "ProvisionedThroughputExceededException", upper, hot, tItems+"/index/x"), store.Busy{Space: "items", Partition: []byte("p"), Hot: true, Reason: hot}},
		{"account", one, fmt.Sprintf(reasons, "RequestLimitExceeded", upper, account, tItems), store.Busy{Space: "items", Partition: []byte("p"), Account: true, Reason: account}},
		{"no reason", one, slow, store.Busy{Space: "items", Partition: []byte("p"), Reason: "ThrottlingException"}},
		{"in words", one, plainHot, store.Busy{Space: "items", Partition: []byte("p"), Hot: true, Reason: "TableReadKeyRangeThroughputExceeded"}},
		{"one of two", two, fmt.Sprintf(reasons, "ThrottlingException", lower, hot, tOther), store.Busy{Space: "other", Partition: []byte("q"), Hot: true, Reason: hot}},
		{"either of two", two, slow, store.Busy{Space: "items", Reason: "ThrottlingException"}},
		{"cancelled", two, cancelOf + "ThrottlingError" + cancelEnd, store.Busy{Space: "other", Partition: []byte("q"), Reason: "ThrottlingError"}},
	} {
		c.want.Write = true
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := int64(0)
				s := openFake(t, func(string, []byte) (int, string, error) {
					attempts++
					return 400, c.answer, nil
				})
				var cost store.Stats
				tx, err := s.Begin(t.Context(), store.Mode{Stats: &cost})
				if err := errors.Join(err, c.write(tx)); err != nil {
					t.Fatal(err)
				}
				err = tx.Commit(t.Context())
				got := new(store.Busy)
				if !errors.As(err, &got) || !reflect.DeepEqual(*got, c.want) {
					t.Errorf("%v, %+v", err, got)
				}
				p := s.Pressure()
				if len(p.Refused) != 1 || p.Refused[0] != (store.Refusal{Space: c.want.Space, Reason: c.want.Reason,
					Count: attempts}) || cost.Throttled != attempts {
					t.Errorf("%+v, %+v after %d attempts", p, cost, attempts)
				}
				if (len(p.Hot) == 1) != c.want.Hot {
					t.Errorf("hot: %v", p.Hot)
				}
			})
		})
	}
}

// TestHot finds the hottest partitions among many that are a little warm.
func TestHot(t *testing.T) {
	var s Store
	p := &s.caller.pressure
	for i := range 5000 {
		p.count(&store.Busy{Space: "s", Partition: fmt.Appendf(nil, "cold %d", i), Hot: true}, nil)
		if i%10 == 0 {
			p.count(&store.Busy{Space: "s", Partition: []byte("hot"), Hot: true}, nil)
		}
	}
	hot := s.Pressure().Hot
	if len(hot) != maxHot || string(hot[0].Partition) != "hot" || hot[0].Count < 500 {
		t.Errorf("%d, %+v", len(hot), hot[0])
	}
}

// TestNotSent wants no unknown outcome of a commit that was never sent, since there are no credentials for it.
func TestNotSent(t *testing.T) {
	s := openFake(t, func(string, []byte) (int, string, error) { return 200, `{}`, nil })
	o := s.client.Options()
	o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("they have ended")
	})
	s.client = dynamodb.New(o)
	for rows := 1; rows <= 2; rows++ {
		tx := begin(t, s)
		for i := range rows {
			if err := tx.Put(items(1), bodied(i), store.Absent); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(t.Context()); !errors.Is(err, store.ErrUnreachable) || errors.Is(err, store.ErrUnknown) ||
			!strings.Contains(err.Error(), "they have ended") {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}
