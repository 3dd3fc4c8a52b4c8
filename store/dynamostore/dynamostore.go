// Package dynamostore keeps spaces in DynamoDB, one table for each. It is the only
// package that knows DynamoDB.
//
// # Tables
//
// The table of a space is called <prefix>.<name>.<number>, so that another program finds
// it by its name, and a space that is made again under the same name is another table.
// Items have the binary attribute pk (hash key), in sorted spaces the binary attribute
// sk (range key), a version _v, the second _t after which DynamoDB may remove them if they
// expire, and one attribute for each column that is not NULL:
//
//	bool                        BOOL
//	int2, int4, int8            N
//	float4, float8, numeric     N, or S where N does not give back the same value:
//	                            NaN, infinities, over 38 digits, trailing zeros after
//	                            the point that the column's type does not declare
//	text, varchar, json         S
//	jsonb                       M or L, or S where these do not give back the same
//	                            document: a scalar, numbers as above, an empty key,
//	                            over 28 levels
//	bytea                       B
//	date, timestamp[tz]         S, ISO 8601: 2024-02-29, 2024-02-29T12:30:00.5+00
//	                            and +12345-01-01; but 0044-03-15 BC, infinity
//	time[tz], interval          S, ISO 8601: 12:30:00.5+00, P1Y2M3DT4H5M6S
//	uuid, point, inet, bit, ... S, PostgreSQL's text
//	arrays                      L of one dimension from 1, else S, PostgreSQL's text
//
// An attribute has the name of its column; see attributeName for the few exceptions. So
// a column's Name in the Space must stay when a column is renamed in SQL, and must not
// come back for another column while items may hold values of the first.
//
// # Tables of other programs
//
// A space that is Outside is a table, or an index of one, with keys of strings, numbers and
// binaries. Bounds of such keys become conditions of a Query where they can, which may leave more
// than was asked for; what comes is held against the range. Items have no version, and nothing is
// ever written there.
//
// # Transactions
//
// DynamoDB has no snapshots. Reads are strongly consistent and see committed items, each
// at its own time (read committed), and the transaction's own writes. Those that Mode.Eventual
// allows are eventually consistent, for half the price, but for what is remembered. A scan of a whole
// space takes the partitions in DynamoDB's order, which is none that we know. Writes are
// buffered and sent by Commit: one as a conditional write, several as one
// TransactWriteItems, which takes up to 100 items and 4 MB, and more by intents, see staging. Of a
// write with guard Always nothing is checked but that there is no intent of another transaction.
// Loose puts are sent in batches before, and loose deletes one by one after; such a delete spares
// an item that another transaction may have put since, and it is lost where the item and those
// that the transaction replaced were put by different commits, for as long as the item is young.
// Writes of a NonAtomic transaction are sent one by one, or in
// batches where they have no guard. Bulk writes are sent in batches as they come.
package dynamostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"zproxy/internal/routine"
	"zproxy/store"
)

// Options say where the tables are.
type Options struct {
	Region      string         // empty: as the environment says
	Endpoint    string         // empty: AWS in the region; else a URL, such as DynamoDB Local's
	TablePrefix string         // the first part of every table's name, without a dot; empty: zproxy
	HTTPClient  aws.HTTPClient // nil: the SDK's, with a connection for each request
	Requests    int            // that run at once, at most; 0: 512
	// MostTogether is how many writes of a transaction go as one request, rather than by intents; 0: 100.
	MostTogether int
}

// Store keeps spaces in DynamoDB tables.
type Store struct {
	client      *dynamodb.Client
	caller      caller
	connections atomic.Int64 // that are open
	prefix      string
	clock       clock
	closed      atomic.Bool
	recent      recent
	deferred    deferredDeletes
	records     records
	recovery    sync.Once     // begins to look for records without an owner
	background  routine.Group // begun while deferred is locked, as nothing is once the store is closed
	together    int           // writes that one request takes
	sizes
	life context.Context // of what goes on beside requests
	end  context.CancelFunc
}

// defaultPrefix keeps our tables apart from others of the account.
const defaultPrefix = "zproxy"

// Open prepares a store. It sends no request to DynamoDB.
func Open(ctx context.Context, o Options) (*Store, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("dynamodb: %w", err)
	}
	s := &Store{prefix: cmp.Or(o.TablePrefix, defaultPrefix), clock: clock{now: time.Now},
		recent: recent{seed: maphash.MakeSeed()}, together: maxTransactItems}
	if o.MostTogether > 0 {
		s.together = min(o.MostTogether, maxTransactItems)
	}
	s.records.store = s
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.caller.gate = newGate(o.requests())
	s.caller.pressure.space = s.spaceName
	var err error
	if s.client, err = s.connect(ctx, &o); err != nil {
		return nil, fmt.Errorf("dynamodb: %w", err)
	}
	return s, nil
}

// prefixes are what the names of tables may begin with. The name of a space and its number have
// room behind: they are of at most 220 letters.
var prefixes = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// check refuses options with which no request could succeed.
func (o *Options) check() error {
	if o.TablePrefix != "" && !prefixes.MatchString(o.TablePrefix) {
		return fmt.Errorf("table prefix %q is not 1 to 32 of A-Z, a-z, 0-9, '_' and '-'", o.TablePrefix)
	}
	if o.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(o.Endpoint)
	if err == nil && u.User != nil {
		return errors.New("the endpoint has a user in it: credentials are taken from the AWS environment")
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("endpoint %q is not a URL such as http://127.0.0.1:8000", o.Endpoint)
	}
	return nil
}

// InClear says whether requests go to another machine without encryption.
func (o *Options) InClear() bool {
	return strings.HasPrefix(o.Endpoint, "http:") && !isLoopback(o.Endpoint)
}

// rowsPerUnit is how many rows of a usual size one read unit of 4 KB reads. One more
// range costs at least a unit.
const rowsPerUnit = 35

// parallelScans is how many scans of a transaction run at once. A page takes milliseconds to
// come and little to take apart; beyond some such pages a client cannot keep up.
const parallelScans = 16

// DynamoDB's limits of keys, in bytes.
const (
	maxPartitionBytes = 2048
	maxSortBytes      = 1024
)

// Capabilities implements store.Store.
func (s *Store) Capabilities() store.Capabilities {
	return store.Capabilities{
		RangePrice: rowsPerUnit, RangeRequests: true, Units: true, Expires: true, Parallel: parallelScans,
		Filters:      1,
		MostTogether: s.together, Loose: true, MostPartition: maxPartitionBytes, MostSort: maxSortBytes,
		Segments: parallelScans, Follows: true,
	}
}

// Close implements store.Store.
func (s *Store) Close() error {
	s.deferred.mu.Lock() // so that nothing begins behind
	s.closed.Store(true)
	s.deferred.mu.Unlock()
	s.end()
	s.background.Wait()
	return nil
}

// inBackground does something until the store is closed, in a goroutine of its own. It says false if it is closed.
func (s *Store) inBackground(f func()) bool {
	s.deferred.mu.Lock()
	defer s.deferred.mu.Unlock()
	if s.closed.Load() {
		return false
	}
	s.background.Go(f, func(error) {})
	return true
}

// check says whether the store and the caller still want a request.
func (s *Store) check(ctx context.Context) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	return context.Cause(ctx)
}
