package dynamostore

import (
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

// emitter emits the rows of a scan, or of one batch of it where it reads several ranges alternately.
type emitter struct {
	ask   *store.Scan
	batch *types.Batch
	yield func(*types.Batch, error) bool
	pace  store.Pace
	gone  bool // the caller wants no more
	ended bool // the batch was emitted, and rest is behind it
	rest  store.Range
}

// emitBatches emits one batch, or as many as the caller of the scan likes.
func emitBatches(ask *store.Scan, yield func(*types.Batch, error) bool, run func(*emitter) error) {
	for {
		t := &emitter{ask: ask, batch: types.NewBatch(len(ask.Columns)), yield: yield, pace: store.PaceOf(ask.Enough)}
		err := run(t)
		switch {
		case t.gone:
			return
		case err != nil:
			yield(nil, err)
			return
		case t.batch.Len() > 0, ask.Next != nil && !t.ended:
			t.emit()
		}
		if t.gone || ask.Next == nil {
			return
		}
		ask.Range, ask.Enough = ask.Next(t.rest)
	}
}

// added is called when the row of an item was added to the batch, and says whether the batch ends
// with it, and is handed on.
func (t *emitter) added(key store.Key, attributes item) bool {
	if t.ask.Keys != nil {
		t.ask.Keys(key)
	}
	t.ask.Pass(1, func(int) store.Key { return key })
	t.ask.Stats.Items++
	t.ask.Stats.Bytes += int64(size(attributes))
	if !t.pace.Step() && !t.batch.Full() {
		return false
	}
	t.emit()
	return true
}

// emit yields what there is, and says whether more is wanted.
func (t *emitter) emit() bool {
	t.gone = !t.yield(t.batch, nil)
	t.batch.Reset(len(t.ask.Columns))
	return !t.gone
}

// end ends the batch behind an item, of whose key it is told what bounds are made of. A scan that
// emits no batches goes on.
func (t *emitter) end(bound []byte) {
	if t.ask.Next != nil {
		t.rest, t.ended = t.ask.Range.Beyond(bound, t.ask.Reverse), true
	}
}

// more says whether the batch goes on.
func (t *emitter) more() bool { return !t.gone && !t.ended }

// pager says how large the pages of a scan are to be, and counts them.
type pager struct {
	scan     *store.Scan
	filtered bool // pages leave out what does not pass
	enough   int  // items that will probably do, 0 when that is unknown
	found    int  // items that were wanted so far
	passed   int  // items that pages have evaluated so far
}

// maxLimit is the greatest limit of a page: no page of 1 MB has more items.
const maxLimit = 1 << 20

// limit is how many items a page may evaluate, nil for as many as 1 MB holds: what is
// left of enough, and behind that as many again. With a Skipper it is not known how many of
// them are wanted. With a filter the scan may say how many it leaves out; that may be wrong, so a page
// evaluates no fewer than all before it.
func (p *pager) limit() *int32 {
	if p.enough == 0 {
		return nil
	}
	limit := p.enough - p.found
	if limit <= 0 {
		limit = p.found
	}
	if p.filtered {
		limit = max(int(math.Ceil(min(float64(limit)*max(p.scan.Each, 1), maxLimit))), p.passed)
	}
	if p.scan.Skip != nil {
		limit = max(limit, types.BatchRows)
	}
	return aws.Int32(int32(min(limit, maxLimit)))
}

// count counts a page that has evaluated some items and delivers fewer.
func (p *pager) count(c *ddb.ConsumedCapacity, examined int32, items int) {
	stats := p.scan.Stats
	countRead(stats, c)
	stats.Pages++
	stats.Examined += int64(examined)
	stats.Filtered += max(0, int64(examined)-int64(items))
	p.passed += int(examined)
}

// countRead counts a request that reads, and what it cost.
func countRead(stats *store.Stats, consumed ...*ddb.ConsumedCapacity) {
	stats.Requests++
	for _, c := range consumed {
		if c != nil {
			stats.ReadUnits += aws.ToFloat64(c.CapacityUnits)
		}
	}
}
