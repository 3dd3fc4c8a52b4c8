package dynamostore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// sizeAge is how long a table's size is kept: DynamoDB itself counts every six hours.
const sizeAge = time.Minute

// sizes are those of tables, as they were told.
type sizes struct {
	sizing sync.Mutex
	known  map[string]knownSize
}

type knownSize struct {
	items, bytes int64
	at           time.Time
}

// Items implements store.Sized.
func (s *Store) Items(ctx context.Context, sp *store.Space) (items int64, known bool, err error) {
	size, known, err := s.size(ctx, sp)
	return size.items, known, err
}

// Bytes implements store.Sized.
func (s *Store) Bytes(ctx context.Context, sp *store.Space) (bytes int64, known bool, err error) {
	size, known, err := s.size(ctx, sp)
	return size.bytes, known, err
}

// mostSegments is in how many DynamoDB divides a table at the most.
const mostSegments = 1_000_000

// Part implements store.Sized, by segments.
func (*sizes) Part(_ context.Context, _ *store.Space, number, n int) (store.Range, bool, error) {
	return store.Range{Segment: number, Segments: n}, n <= mostSegments, nil
}

// size is that of a table, or of an index. DynamoDB counts a table every six hours, and what looks empty may not be
// counted yet.
func (s *Store) size(ctx context.Context, sp *store.Space) (size knownSize, known bool, err error) {
	if err := s.check(ctx); err != nil {
		return size, false, err
	}
	table, of := s.table(sp), s.table(sp)
	if secondary(sp) {
		of += "/" + sp.Name
	}
	s.sizing.Lock()
	entry, ok := s.known[of]
	s.sizing.Unlock()
	if ok && s.clock.now().Sub(entry.at) < sizeAge {
		return entry, true, nil
	}
	answer, err := s.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	var gone *ddb.ResourceNotFoundException
	switch {
	case errors.As(err, &gone):
		return size, true, nil
	case err != nil:
		return size, false, readError(table, err)
	case answer.Table == nil:
		return size, false, garbage(table, errNoDescription)
	}
	items, bytes := answer.Table.ItemCount, answer.Table.TableSizeBytes
	if secondary(sp) {
		items, bytes = nil, nil
		if x := indexIn(answer.Table, sp.Name); x != nil {
			items, bytes = x.ItemCount, x.IndexSizeBytes
		}
	}
	entry = knownSize{aws.ToInt64(items), aws.ToInt64(bytes), s.clock.now()}
	if entry.bytes == 0 {
		return size, false, nil // and asked for again, since the first count is worth to be known
	}
	s.sizing.Lock()
	defer s.sizing.Unlock()
	if s.known == nil {
		s.known = map[string]knownSize{}
	}
	s.known[of] = entry
	return entry, true, nil
}
