package e2e

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"zproxy/internal/indextest"
	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// interposed does something once before the next request that gets rows of a table by their keys.
type interposed struct {
	aws.HTTPClient
	mu   sync.Mutex
	then func()
}

// before sets what is done.
func (c *interposed) before(then func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.then = then
}

// Do implements aws.HTTPClient.
func (c *interposed) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "GetItem") &&
		strings.Contains(string(body), "zproxy.public.jobs.") && !strings.Contains(string(body), "jobs_") {
		c.mu.Lock()
		then := c.then
		c.then = nil
		c.mu.Unlock()
		if then != nil {
			then()
		}
	}
	return c.HTTPClient.Do(r)
}

// TestBetweenReads changes a row after another statement has read its entry and before that looks it up:
// a row that matches no more is neither returned nor written.
func TestBetweenReads(t *testing.T) {
	between := &interposed{HTTPClient: dynamofake.New(dynamofake.Options{}).Client("")}
	st, err := dynamostore.Open(t.Context(),
		dynamostore.Options{Region: "us-east-1", Endpoint: "http://127.0.0.1:1", HTTPClient: between})
	if err != nil {
		t.Fatal(err)
	}
	indextest.AtEnd(t, st)
	process := func() *server { return serve(t, st, session.Options{Shared: true}) }
	mine, theirs := process().connect(t), process().connect(t) // which do not know each other's locks
	must(t, mine, `CREATE TABLE jobs (id int PRIMARY KEY, state text, due int, owner text, code int);
		CREATE INDEX jobs_state ON jobs (state); CREATE INDEX jobs_due ON jobs (due) INCLUDE (owner) WHERE state = 'free';
		CREATE UNIQUE INDEX jobs_code ON jobs (code)`)
	for _, c := range []struct{ theirs, mine, want, row string }{
		{"UPDATE jobs SET state = 'taken', owner = 'them' WHERE id = 1", "UPDATE jobs SET owner = 'me' WHERE state = 'free'", "UPDATE 0", "taken them"},
		{"UPDATE jobs SET state = 'taken', owner = 'them' WHERE id = 1", "DELETE FROM jobs WHERE state = 'free'", "DELETE 0", "taken them"},
		{"UPDATE jobs SET state = 'taken' WHERE id = 1", "SELECT id, code FROM jobs WHERE state = 'free'", "SELECT 0", "taken nobody"},
		{"UPDATE jobs SET state = 'taken' WHERE id = 1", "/*+ USE_INDEX(jobs, jobs_due) */ SELECT id, code FROM jobs WHERE due < 9 AND state = 'free'", "SELECT 0", "taken nobody"},
		{"UPDATE jobs SET owner = 'them' WHERE id = 1", "/*+ USE_INDEX(jobs, jobs_due) */ SELECT id, code FROM jobs WHERE due < 9 AND state = 'free' AND owner = 'nobody'", "SELECT 0", "free them"},
		{"UPDATE jobs SET code = 6 WHERE id = 1", "INSERT INTO jobs VALUES (2, 'new', 0, 'me', 5) ON CONFLICT (code) DO UPDATE SET owner = 'me'", "INSERT 0 1", "free nobody"},
	} {
		must(t, mine, "DELETE FROM jobs; INSERT INTO jobs VALUES (1, 'free', 5, 'nobody', 5)")
		done := false
		between.before(func() { must(t, theirs, c.theirs); done = true })
		tag, err := mine.Exec(t.Context(), c.mine)
		between.before(nil)
		if err != nil || tag.String() != c.want || !done {
			t.Errorf("%s: %v, %v, changed meanwhile: %v", c.mine, tag, err, done)
		}
		var row string
		if err := mine.QueryRow(t.Context(),
			"SELECT state || ' ' || owner FROM jobs WHERE id = 1").Scan(&row); err != nil || row != c.row {
			t.Errorf("%s: %s, %v", c.mine, row, err)
		}
	}
}
