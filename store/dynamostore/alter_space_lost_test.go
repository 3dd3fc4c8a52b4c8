package dynamostore

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

const inUse = `{"__type":"com.amazonaws.dynamodb.v20120810#ResourceInUseException","message":"being changed"}`

// loser loses the first answer to an operation, and refuses all later attempts, as DynamoDB does
// while it works at the change. Without done, the change is not made either.
type loser struct {
	to       aws.HTTPClient
	op       string
	done     bool
	attempts int
}

func (l *loser) Do(r *http.Request) (*http.Response, error) {
	if _, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), "."); op != l.op {
		return l.to.Do(r)
	}
	l.attempts++
	status, text := 400, inUse
	if l.attempts == 1 {
		status, text = 500, `{}`
		if l.done {
			answer, err := l.to.Do(r)
			if err != nil {
				return nil, err
			}
			_ = answer.Body.Close()
		}
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(text)), Request: r,
	}, nil
}

// TestAlterSpaceLost loses the answers to changes of how a table is kept. The attempt after it is refused,
// and the change was made nevertheless, or was not.
func TestAlterSpaceLost(t *testing.T) {
	expiry := func(number uint32) *store.Expiry { return &store.Expiry{After: 1, Number: number} }
	for _, c := range []struct {
		name, op   string
		from, want store.Space
	}{
		{"provisioned", "UpdateTable", store.Space{}, store.Space{Capacity: store.Capacity{ReadUnits: 5, WriteUnits: 6}}},
		{"by request", "UpdateTable", store.Space{Capacity: store.Capacity{ReadUnits: 5, WriteUnits: 6}}, store.Space{}},
		{"bounds", "UpdateTable", store.Space{}, store.Space{Capacity: store.Capacity{MostReadUnits: 5, MostWriteUnits: 6}}},
		{"a rule", "UpdateTimeToLive", store.Space{}, store.Space{Expiry: expiry(0)}},
		{"no rule", "UpdateTimeToLive", store.Space{Expiry: expiry(0)}, store.Space{}},
	} {
		for _, done := range []bool{true, false} {
			t.Run(c.name+map[bool]string{true: " made", false: " not made"}[done], func(t *testing.T) {
				f := dynamofake.New(dynamofake.Options{})
				sp := &store.Space{ID: 1, Name: "items",
					Columns: []store.Column{{ID: 1, Name: "at", Type: types.Timestamptz}}}
				sp.Capacity, sp.Expiry = c.from.Capacity, c.from.Expiry
				if err := openOn(t, f, "").Create(t.Context(), sp); err != nil {
					t.Fatal(err)
				}
				l := &loser{to: f.Client(""), op: c.op, done: done}
				s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: l})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = s.Close() })
				sp.Capacity, sp.Expiry = c.want.Capacity, c.want.Expiry
				err = s.AlterSpace(t.Context(), sp)
				if done != (err == nil) || !done && !errors.As(err, new(*store.Refused)) || l.attempts != 2 {
					t.Errorf("after %d attempts %v", l.attempts, err)
				}
				before, after := c.from, c.want
				if !done {
					after = before
				}
				if got := kept(t, s, sp); got != after.Capacity {
					t.Errorf("kept as %+v, want %+v", got, after.Capacity)
				}
				wantExpiry(t, s, sp, expiryName(after.Expiry))
			})
		}
	}
}
