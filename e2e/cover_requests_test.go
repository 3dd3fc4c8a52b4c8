package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// crowd holds requests to read an index until so many are under way at once, the first time.
type crowd struct {
	next  *dynamofake.Client
	index string
	mu    sync.Mutex
	want  int // 0: it does not matter
	now   int
	most  int
	full  chan struct{}
}

// Do implements aws.HTTPClient.
func (c *crowd) Do(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.mu.Lock()
	counts := c.want > 0 && strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query") &&
		bytes.Contains(body, []byte(c.index))
	if counts {
		c.now++
		c.most = max(c.most, c.now)
		if c.most == c.want && c.now == c.want {
			select {
			case <-c.full:
			default:
				close(c.full)
			}
		}
	}
	c.mu.Unlock()
	if !counts {
		return c.next.Do(r)
	}
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	select {
	case <-c.full:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return c.next.Do(r)
}

// expect lets requests wait for so many others.
func (c *crowd) expect(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.want, c.most, c.full = n, 0, make(chan struct{})
}

var keysExamined = regexp.MustCompile(`Read: (\d+) requests.* (\d+) keys examined.*, (\d+) rows kept`)

// readOf runs a query, and gives what EXPLAIN (ANALYZE) says that it read.
func readOf(t *testing.T, c *pgx.Conn, query string) (requests, examined, kept int) {
	t.Helper()
	rows, err := c.Query(t.Context(), "EXPLAIN (ANALYZE) "+query)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	text := strings.Join(lines, "\n")
	m := keysExamined.FindStringSubmatch(text)
	if err != nil || m == nil {
		t.Fatalf("%v\n%s", err, text)
	}
	requests, _ = strconv.Atoi(m[1])
	examined, _ = strconv.Atoi(m[2])
	kept, _ = strconv.Atoi(m[3])
	return requests, examined, kept
}

// TestCoverRequests reads a box on DynamoDB: as many ranges of its cover at once as parallel_scans says,
// and no more; and where pages are short, each goes on at the next address in the box, so that fewer keys are
// examined than there are in the ranges.
func TestCoverRequests(t *testing.T) {
	whole := 0
	for _, page := range []int{0, 3} {
		gate := &crowd{next: dynamofake.New(dynamofake.Options{PageItems: page}).Client(""), index: "p_box"}
		st, err := dynamostore.Open(t.Context(),
			dynamostore.Options{Region: "us-east-1", Endpoint: "http://127.0.0.1:1", HTTPClient: gate})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		c := serve(t, st, session.Options{Shared: true}).connect(t)
		mustRun(t, c, "CREATE TABLE p (id int8 PRIMARY KEY, x int, y int)")
		mustRun(t, c, "CREATE INDEX p_box ON p USING zorder (x, y)")
		var data strings.Builder
		want := 0
		for i := range 3000 {
			x, y := i*7919%3001, i*104729%3001
			fmt.Fprintf(&data, "%d\t%d\t%d\n", i, x, y)
			if x >= 300 && x <= 1500 && y >= 700 && y <= 1900 {
				want++
			}
		}
		if _, err := c.PgConn().CopyFrom(t.Context(), strings.NewReader(data.String()),
			"COPY p FROM STDIN"); err != nil {
			t.Fatal(err)
		}
		mustRun(t, c, "SET zproxy.analyze_units = 0") // short pages cost a unit each
		mustRun(t, c, "ANALYZE p")
		const box = "SELECT id, x, y FROM p WHERE x BETWEEN 300 AND 1500 AND y BETWEEN 700 AND 1900"
		requests, examined, kept := readOf(t, c, box)
		t.Logf("pages of %d: %d requests, %d keys examined, %d rows", page, requests, examined, kept)
		if kept != want || requests < 4 {
			t.Errorf("pages of %d: %d rows by %d requests, want %d rows by some", page, kept, requests, want)
		}
		for _, scans := range []int{1, 2, 4} {
			mustRun(t, c, fmt.Sprint("SET zproxy.parallel_scans = ", scans))
			gate.expect(scans)
			if _, _, kept := readOf(t, c, box); kept != want || gate.most != scans {
				t.Errorf("%d scans: %d rows, %d requests at once", scans, kept, gate.most)
			}
			gate.expect(0)
		}
		if page == 0 {
			whole = examined
		} else if examined >= whole {
			t.Errorf("%d keys are examined by short pages, and %d by long ones", examined, whole)
		}
	}
}
