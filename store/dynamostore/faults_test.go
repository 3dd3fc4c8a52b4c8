package dynamostore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamolocal"
	"zproxy/types"
)

// service stands between the store and DynamoDB.
type service func(action string, body []byte) (status int, answer string, err error)

func (s service) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	status, answer, err := s(action, body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(answer)), Request: r,
	}, nil
}

// through passes a request to DynamoDB Local.
func through(t *testing.T, endpoint string) service {
	return func(action string, body []byte) (int, string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, bytes.NewReader(body))
		if err != nil {
			return 0, "", err
		}
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+action)
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
		r.Header.Set("Authorization",
			"AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		return answer.StatusCode, string(text), err
	}
}

func openFake(t *testing.T, s service) *Store {
	t.Helper()
	opened, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: s})
	if err != nil {
		t.Fatal(err)
	}
	opened.recovery.Do(func() {}) // so that no other requests are counted
	return opened
}

const (
	failed    = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"no"}`
	invalid   = `{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}`
	ongoing   = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException","message":"no"}`
	conflict  = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"no"}`
	absent    = `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException","message":"no"}`
	slow      = `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"no"}`
	cancelOf  = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"no","CancellationReasons":[{"Code":"None"},{"Code":"`
	cancelEnd = `"}]}`
)

// TestOutcomes checks what the answers to a commit's attempts, the last one repeated,
// make of it.
func TestOutcomes(t *testing.T) {
	lost, cut := answer{500, `{}`}, answer{}
	for _, c := range []struct {
		name    string
		writes  int
		answers []answer
		want    error
		other   bool // an error that is none of the contract's
	}{
		{name: "put", writes: 1, answers: []answer{{200, `{}`}}},
		{name: "put again", writes: 1, answers: []answer{lost, {200, `{}`}}, want: store.ErrUnknown},
		{name: "put, guard fails", writes: 1, answers: []answer{{400, failed}}, want: store.ErrConflict},
		{name: "put, guard fails later", writes: 1, answers: []answer{lost, {400, failed}}, want: store.ErrUnknown},
		{name: "put, transaction", writes: 1, answers: []answer{{400, conflict}}, want: store.ErrConflict},
		{name: "put, refused", writes: 1, answers: []answer{{400, invalid}}, other: true},
		{name: "put, refused later", writes: 1, answers: []answer{lost, {400, invalid}}, want: store.ErrUnknown},
		{name: "transaction, too large a collection", writes: 2, answers: []answer{{400, cancelOf + "ItemCollectionSizeLimitExceeded" + cancelEnd}}, want: store.ErrTooLarge},
		{name: "put, no table", writes: 1, answers: []answer{{400, absent}}, want: store.ErrGone},
		{name: "transaction, no table", writes: 2, answers: []answer{{400, absent}}, want: store.ErrGone},
		{name: "put, no answer", writes: 1, answers: []answer{lost}, want: store.ErrUnknown},
		{name: "put, cut off", writes: 1, answers: []answer{cut, {200, `{}`}}, want: store.ErrUnknown},
		{name: "put, cut off by a machine between", writes: 1, answers: []answer{{504, `{}`}, {200, `{}`}}, want: store.ErrUnknown},
		{name: "put, throttled", writes: 1, answers: []answer{{400, slow}, {400, slow}, {200, `{}`}}},
		{name: "put, throttled for ever", writes: 1, answers: []answer{{400, slow}}, want: store.ErrBusy},
		{name: "put, in the way of a transaction", writes: 1, answers: []answer{{400, conflict}, {200, `{}`}}},
		{name: "transaction", writes: 2, answers: []answer{lost, {200, `{}`}}},
		{name: "transaction, guard fails", writes: 2, answers: []answer{{400, cancelOf + "ConditionalCheckFailed" + cancelEnd}}, want: store.ErrConflict},
		{name: "transaction, cut off", writes: 2, answers: []answer{cut, {200, `{}`}}},
		{name: "transaction, cut off, guard fails later", writes: 2, answers: []answer{cut, {400, cancelOf + "ConditionalCheckFailed" + cancelEnd}}, want: store.ErrUnknown},
		{name: "transaction, throttled", writes: 2, answers: []answer{{400, cancelOf + "ThrottlingError" + cancelEnd}, {200, `{}`}}},
		{name: "transaction, throttled for ever", writes: 2, answers: []answer{{400, cancelOf + "ProvisionedThroughputExceeded" + cancelEnd}}, want: store.ErrBusy},
		{name: "transaction, in the way of another", writes: 2, answers: []answer{{400, cancelOf + "TransactionConflict" + cancelEnd}, {200, `{}`}}},
		{name: "transaction, running", writes: 2, answers: []answer{lost, {400, ongoing}, {200, `{}`}}},
		{name: "transaction, guard fails later", writes: 2, answers: []answer{lost, {400, cancelOf + "ConditionalCheckFailed" + cancelEnd}}, want: store.ErrUnknown},
		{name: "transaction, conflict", writes: 2, answers: []answer{{400, cancelOf + "TransactionConflict" + cancelEnd}}, want: store.ErrConflict},
		{name: "transaction, refused", writes: 2, answers: []answer{{400, cancelOf + "ValidationError" + cancelEnd}}, other: true},
		{name: "transaction, still running", writes: 2, answers: []answer{{400, ongoing}}, want: store.ErrUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				err := committed(t, c.writes, c.answers)
				if c.other {
					if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnknown) {
						t.Errorf("%v", err)
					}
				} else if !errors.Is(err, c.want) {
					t.Errorf("%v, want %v", err, c.want)
				}
			})
		})
	}
}

// answer is what a service says, or that it says nothing.
type answer struct {
	status int // 0: the connection is cut
	text   string
}

// committed puts items into a service with some answers, of which it repeats the last. All requests
// for the commit must be the same.
func committed(t *testing.T, writes int, answers []answer) error {
	calls, bodies := 0, map[string]bool{}
	s := openFake(t, func(action string, body []byte) (int, string, error) {
		a := answers[min(calls, len(answers)-1)]
		calls++
		if action != "GetItem" {
			bodies[string(body)] = true
		}
		if a.status == 0 {
			return 0, "", io.ErrUnexpectedEOF
		}
		return a.status, a.text, nil
	})
	tx := begin(t, s)
	for i := range writes {
		if err := tx.Put(items(1), bodied(i), store.Absent); err != nil {
			t.Fatal(err)
		}
	}
	err := tx.Commit(t.Context())
	if len(bodies) != 1 {
		t.Errorf("requests differ: %v", bodies)
	}
	return err
}

// TestLostAnswers loses the answer to a write that was carried out.
func TestLostAnswers(t *testing.T) {
	real, sp := open(t), items(1)
	load(t, real, sp, 2, 1)
	pass := through(t, dynamolocal.Start(t))
	lossy := func(lose string) *Store {
		lost := false
		s := openFake(t, func(action string, body []byte) (int, string, error) {
			status, answer, err := pass(action, body)
			if action == lose && !lost {
				lost = true
				return 500, `{}`, err
			}
			return status, answer, err
		})
		s.prefix = real.prefix
		return s
	}
	write := func(s *Store, remove bool, keys ...store.Key) error {
		tx := begin(t, s)
		ask := store.Get{Keys: keys, Remember: true, Stats: &store.Stats{}}
		if _, err := tx.Get(t.Context(), sp, &ask, types.NewBatch(0)); err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			err := tx.Delete(sp, k, store.Unchanged)
			if !remove {
				err = tx.Put(sp, store.Item{Key: k, Values: []types.Value{types.Null}}, store.Unchanged)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return tx.Commit(t.Context())
	}
	if err := write(lossy("PutItem"), false, key(0)); err != nil {
		t.Errorf("put over an item: %v", err)
	}
	if err := write(lossy("PutItem"), false, key(7)); err != nil {
		t.Errorf("put of a new item: %v", err)
	}
	if err := write(lossy("DeleteItem"), true, key(1)); !errors.Is(err, store.ErrUnknown) {
		t.Errorf("delete: %v", err)
	}
	if err := write(lossy("TransactWriteItems"), false, key(0), key(7), key(8)); err != nil {
		t.Errorf("transaction: %v", err)
	}
	if rows, _ := scanned(t, begin(t, real), sp, store.Scan{}); rows != 3 {
		t.Errorf("%d items", rows)
	}
}

// TestUnprocessed has a service that hands every other batch back.
func TestUnprocessed(t *testing.T) {
	real, sp := open(t), items(1)
	load(t, real, sp, 0, 0)
	pass := through(t, dynamolocal.Start(t))
	unprocessed := map[string]string{"BatchWriteItem": "UnprocessedItems", "BatchGetItem": "UnprocessedKeys"}
	var calls atomic.Int64
	s := openFake(t, func(action string, body []byte) (int, string, error) {
		if n := calls.Add(1); unprocessed[action] == "" || n%2 == 0 {
			return pass(action, body)
		}
		var in struct{ RequestItems json.RawMessage }
		err := json.Unmarshal(body, &in)
		return 200, fmt.Sprintf("{%q:%s}", unprocessed[action], in.RequestItems), err
	})
	s.prefix = real.prefix
	tx := begin(t, s)
	for i := range 60 {
		if err := tx.Put(sp, bodied(i), store.Loose); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rows, _ := scanned(t, begin(t, real), sp, store.Scan{}); rows != 60 {
		t.Errorf("%d items", rows)
	}
	ask := store.Get{Stats: &store.Stats{}}
	for i := range 120 {
		ask.Keys = append(ask.Keys, key(i))
	}
	_, err := begin(t, s).Get(t.Context(), sp, &ask, types.NewBatch(0))
	if err != nil || ask.Stats.Items != 60 || ask.Stats.Requests != 4 {
		t.Errorf("%+v, %v", ask.Stats, err)
	}
}

// TestNeverServed has a service that hands every batch back.
func TestNeverServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openFake(t, func(_ string, body []byte) (int, string, error) {
			var in struct{ RequestItems json.RawMessage }
			err := json.Unmarshal(body, &in)
			return 200, fmt.Sprintf(`{"UnprocessedKeys":%s}`, in.RequestItems), err
		})
		reported := map[string]int{}
		s.OnRefusal(func(_ store.SpaceID, k store.Key) { reported[string(k.Sort)]++ })
		ask := store.Get{Keys: []store.Key{key(1), key(2)}, Stats: &store.Stats{}}
		began := time.Now()
		_, err := begin(t, s).Get(t.Context(), items(1), &ask, types.NewBatch(0))
		if took := time.Since(began); !errors.Is(err, store.ErrBusy) || took > maxPatience || took < maxPatience/2 {
			t.Errorf("%v after %v", err, took)
		}
		if n := reported["0001"]; n < 2 || reported["0002"] != n || len(reported) != 2 {
			t.Errorf("reported is %v", reported)
		}
	})
}

// TestCancelled checks that a statement that ends ends its waiting.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := openFake(t, func(string, []byte) (int, string, error) {
		cancel()
		return 500, `{}`, nil
	})
	ask := store.Get{Keys: []store.Key{key(1)}, Stats: &store.Stats{}}
	if _, err := begin(t, s).Get(ctx, items(1), &ask, types.NewBatch(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	tx := begin(t, s)
	if err := tx.Put(items(1), store.Item{Key: key(1), Values: []types.Value{types.Null}}, store.Absent); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnknown) {
		t.Errorf("commit after the end: %v", err)
	}
}

// TestDroppedWhileMade has another program drop a table that is being made: that is not waited for until all time is
// over.
func TestDroppedWhileMade(t *testing.T) {
	for _, first := range []string{"", `{"Table":{"TableStatus":"CREATING"}}`} {
		synctest.Test(t, func(t *testing.T) {
			left := first
			s := openFake(t, func(action string, _ []byte) (int, string, error) {
				if action != "DescribeTable" {
					return 200, `{}`, nil
				}
				if left != "" {
					left = ""
					return 200, first, nil
				}
				return 400, absent, nil
			})
			began := time.Now()
			err := s.Create(t.Context(), items(1))
			if took := time.Since(began); !errors.Is(err, store.ErrGone) || took > maxUnknown+maxTablePoll {
				t.Errorf("%v after %v", err, took)
			}
		})
	}
}
