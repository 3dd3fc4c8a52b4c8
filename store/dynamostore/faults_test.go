package dynamostore

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"zproxy/store"
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
		r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
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
	return opened
}

const (
	failed    = `{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","message":"no"}`
	invalid   = `{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}`
	running   = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionInProgressException","message":"no"}`
	conflict  = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"no"}`
	cancelOf  = `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"no","CancellationReasons":[{"Code":"None"},{"Code":"`
	cancelEnd = `"}]}`
)

// TestOutcomes checks what the answers to a commit's attempts, the last one repeated,
// make of it.
func TestOutcomes(t *testing.T) {
	type answer struct {
		status int
		text   string
	}
	lost := answer{500, `{}`}
	for _, c := range []struct {
		name    string
		writes  int
		answers []answer
		want    error
		other   bool // an error that is none of the contract's
	}{
		{name: "put", writes: 1, answers: []answer{{200, `{}`}}},
		{name: "put again", writes: 1, answers: []answer{lost, {200, `{}`}}},
		{name: "put, guard fails", writes: 1, answers: []answer{{400, failed}}, want: store.ErrConflict},
		{name: "put, guard fails later", writes: 1, answers: []answer{lost, {400, failed}}, want: store.ErrUnknown},
		{name: "put, transaction", writes: 1, answers: []answer{{400, conflict}}, want: store.ErrConflict},
		{name: "put, refused", writes: 1, answers: []answer{{400, invalid}}, other: true},
		{name: "put, refused later", writes: 1, answers: []answer{lost, {400, invalid}}, want: store.ErrUnknown},
		{name: "put, no answer", writes: 1, answers: []answer{lost}, want: store.ErrUnknown},
		{name: "transaction", writes: 2, answers: []answer{lost, {200, `{}`}}},
		{name: "transaction, guard fails", writes: 2, answers: []answer{{400, cancelOf + "ConditionalCheckFailed" + cancelEnd}}, want: store.ErrConflict},
		{name: "transaction, guard fails later", writes: 2, answers: []answer{lost, {400, cancelOf + "ConditionalCheckFailed" + cancelEnd}}, want: store.ErrConflict},
		{name: "transaction, conflict", writes: 2, answers: []answer{{400, cancelOf + "TransactionConflict" + cancelEnd}}, want: store.ErrConflict},
		{name: "transaction, refused", writes: 2, answers: []answer{{400, cancelOf + "ValidationError" + cancelEnd}}, other: true},
		{name: "transaction, still running", writes: 2, answers: []answer{{400, running}}, want: store.ErrUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			calls, tokens := 0, map[string]bool{}
			s := openFake(t, func(_ string, body []byte) (int, string, error) {
				a := c.answers[min(calls, len(c.answers)-1)]
				calls++
				_, token, _ := strings.Cut(string(body), `"ClientRequestToken":"`)
				token, _, _ = strings.Cut(token, `"`)
				tokens[token] = true
				return a.status, a.text, nil
			})
			tx := begin(t, s)
			for i := range c.writes {
				if err := tx.Put(items(1), store.Item{Key: key(i), Values: []types.Value{types.Null}}, store.Absent); err != nil {
					t.Fatal(err)
				}
			}
			err := tx.Commit(t.Context())
			if c.other {
				if err == nil || errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrUnknown) {
					t.Errorf("%v", err)
				}
			} else if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if len(tokens) != 1 || tokens[""] != (c.writes == 1) {
				t.Errorf("tokens %v", tokens)
			}
		})
	}
}
