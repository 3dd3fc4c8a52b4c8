package dynamostore

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"zproxy/store/dynamostore/dynamofake"
)

// ailing sends requests, but answers 500 to those that make certain items what they are to be, for a time.
type ailing struct {
	next *dynamofake.Client
	ill  []string // what requests for the items have in their bodies
	well atomic.Bool
	gets atomic.Int64 // requests that read an item
}

func (a *ailing) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	_, action, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if action == "GetItem" {
		a.gets.Add(1)
	}
	if action == "PutItem" && !a.well.Load() {
		for _, ill := range a.ill {
			if strings.Contains(string(body), ill) {
				return &http.Response{StatusCode: 500, Header: http.Header{}, Request: r,
					Body: io.NopCloser(strings.NewReader("{}"))}, nil
			}
		}
	}
	return a.next.Do(r)
}

// TestFinishInTrouble has more items of a large transaction than are written at once fail for minutes when they are to
// get what their intents say. All others get it meanwhile, and these behind it, from what the owner has in memory.
func TestFinishInTrouble(t *testing.T) {
	const size, ills = 300, 2 * stageWidth
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		defer f.Close()
		a := &ailing{next: f.Client("owner")}
		a.well.Store(true)
		s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: a})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		g := newGroup(t, s, size)
		for n := range ills {
			a.ill = append(a.ill, base64.StdEncoding.EncodeToString(key(n).Sort))
		}
		a.well.Store(false)
		if err := g.write(t.Context(), s, 1); err != nil {
			t.Fatal(err)
		}
		before := a.gets.Load()
		time.Sleep(10 * time.Minute)
		if n := intents(t, s, s.table(g.rows)); n != ills {
			t.Errorf("%d intents are left, want the %d of the items in trouble", n, ills)
		}
		a.well.Store(true)
		time.Sleep(time.Minute)
		g.quiet(f, s.table(g.rows), s.table(g.entries))
		if n := a.gets.Load() - before; n > 0 {
			t.Errorf("%d items were read to see whether they have intents", n)
		}
		g.holds(s)
	})
}

// intents is how many items of a table have one.
func intents(t *testing.T, s *Store, table string) (n int) {
	t.Helper()
	out, err := s.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range out.Items {
		if of[intentAttribute] != nil {
			n++
		}
	}
	return n
}
