package dynamostore

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// outsideScan reads items of a table of other programs, with what the transaction has written there.
type outsideScan struct {
	*emitter
	pager
	txn    *txn
	space  *store.Space
	want   projection
	filter filter
	within store.Range // in which items are delivered, where it names a partition
	own    ownItems
	begun  *outsidePosition // where a scan by turns goes on; nil: where its range says
	last   item             // the last one that DynamoDB gave and that needs not be read again
	after  uint64           // commits of the process that were over before
}

// outsidePosition is where a turn of a scan has ended. Among items of an index with equal keys the rest of its range
// does not tell: they come in DynamoDB's order, and those of the transaction are laid among them in ours.
type outsidePosition struct {
	within store.Range
	last   item
	own    []ownItem // that are still to be delivered
}

// rangeBounds are those of a range in a partition, to find it by.
type rangeBounds struct {
	partition, from, to string
	endless             bool
}

func boundsOf(r store.Range) rangeBounds {
	return rangeBounds{string(r.Partition), string(r.From), string(r.To), r.To == nil}
}

// scanOutside implements Scan for a space of other programs.
func (t *txn) scanOutside(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		ctx, attempts := observe(ctx)
		defer attempts.tell(r.Stats)
		at := r.At
		if r.Next != nil && at == nil {
			at = t.own.Now()
		}
		parts := map[rangeBounds]*outsidePosition{} // of a transaction that has written in the table
		emitBatches(r, yield, func(emitter *emitter) error {
			if err := t.open(); err != nil {
				return err
			}
			k := outsideScan{emitter: emitter, txn: t, space: s, want: outsideProjection(s, r.Columns, r.Remember),
				filter: newFilter(s, r.Filter), after: t.store.recent.count.Load()}
			var err error
			if k.own, err = t.ownItems(s, r, at); err != nil {
				return err
			}
			k.pager = pager{scan: r, enough: r.Enough, filtered: k.filter.expression != nil}
			if r.Enough > 0 {
				k.enough += len(k.own.hidden)
			}
			if k.begun = parts[boundsOf(r.Range)]; k.begun != nil {
				k.own.items = k.begun.own
			}
			if err = k.run(ctx); err == nil && k.more() {
				err = k.deliverOwn(nil)
			}
			if k.ended && len(k.own.hidden) > 0 {
				parts[boundsOf(k.rest)] = &outsidePosition{within: k.within, last: k.last, own: k.own.items}
			}
			return err
		})
	}
}

func (k *outsideScan) run(ctx context.Context) error {
	if k.ask.Range.Partition != nil {
		return k.query(ctx)
	}
	if len(k.ask.Range.From) > 0 || k.ask.Range.To != nil {
		return errors.New("dynamodb: a range over partitions has bounds")
	}
	return k.all(ctx)
}

// query reads a range of one partition, page by page.
func (k *outsideScan) query(ctx context.Context) error {
	o := k.space.Outside
	start, r, err := k.begin()
	if err != nil {
		return err
	}
	k.within = r
	if k.ask.Shared != nil && start == nil {
		var done bool
		if start, done, err = k.fromShared(ctx); done || err != nil {
			return err
		}
	}
	c, ok, err := outsideCondition(o, r)
	if err != nil || !ok {
		return err
	}
	for name, attribute := range k.want.names {
		c.names[name] = attribute
	}
	in := &dynamodb.QueryInput{
		TableName: &o.Table, IndexName: indexName(o), ExclusiveStartKey: start,
		KeyConditionExpression:    c.expression(),
		ExpressionAttributeValues: k.filter.withValues(c.values), ExpressionAttributeNames: k.filter.withNames(c.names),
		ProjectionExpression: k.want.expression, FilterExpression: k.filter.expression,
		ScanIndexForward: aws.Bool(!k.ask.Reverse), ConsistentRead: aws.Bool(k.txn.strong(k.space, k.ask.Remember)),
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}
	return k.pages(ctx, func(start item) (items []item, last item, err error) {
		if start != nil {
			in.ExclusiveStartKey = start
		}
		in.Limit = k.limit()
		page, err := k.txn.store.client.Query(ctx, in)
		if err != nil {
			return nil, nil, outsideError(o, err)
		}
		k.count(page.ConsumedCapacity, page.ScannedCount, len(page.Items))
		return page.Items, page.LastEvaluatedKey, nil
	})
}

// outsideCondition is what a Query demands of the keys of a range. It says false where there are none.
func outsideCondition(o *store.Outside, r store.Range) (conditions, bool, error) {
	c := conditions{names: map[string]string{}, values: item{}}
	partition := item{}
	rest, ok, err := fillNative(partition, o.Partition, r.Partition, maxPartition)
	if err == nil && ok && len(rest) > 0 {
		err = errNativeKey
	}
	if err != nil || !ok {
		return c, false, err
	}
	for _, a := range o.Partition {
		c.add(a.Name, "=", partition[a.Name])
	}
	n := nativeRange(o.Sort, r)
	return c, n.condition(o.Sort, &c), nil
}

// begin is the item behind which a query begins, nil for none, and the range of what it delivers.
func (k *outsideScan) begin() (item, store.Range, error) {
	if k.begun == nil {
		start, r, err := behind(k.space.Outside, k.ask.Range, k.ask.Reverse)
		k.last = start
		return start, r, err
	}
	if k.last = k.begun.last; k.last == nil {
		return nil, k.begun.within, nil
	}
	o, start := k.space.Outside, item{}
	for _, a := range slices.Concat(o.Partition, o.Sort, o.Row) {
		start[a.Name] = k.last[a.Name]
	}
	return start, k.begun.within, nil
}

// all reads the whole table or index, in no order.
func (k *outsideScan) all(ctx context.Context) error {
	o := k.space.Outside
	in := &dynamodb.ScanInput{
		TableName: &o.Table, IndexName: indexName(o), ProjectionExpression: k.want.expression,
		FilterExpression:         k.filter.expression,
		ExpressionAttributeNames: k.filter.withNames(k.want.names), ExpressionAttributeValues: k.filter.withValues(nil),
		ConsistentRead:         aws.Bool(k.txn.strong(k.space, k.ask.Remember)),
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}
	if k.ask.After != nil {
		var err error
		if in.ExclusiveStartKey, _, err = nativeItem(o, *k.ask.After); err != nil {
			return err
		}
	}
	return k.pages(ctx, func(start item) (items []item, last item, err error) {
		if start != nil {
			in.ExclusiveStartKey = start
		}
		in.Limit = k.limit()
		page, err := k.txn.store.client.Scan(ctx, in)
		if err != nil {
			return nil, nil, outsideError(o, err)
		}
		k.count(page.ConsumedCapacity, page.ScannedCount, len(page.Items))
		return page.Items, page.LastEvaluatedKey, nil
	})
}

// pages delivers the items of pages until one is the last. DynamoDB says where a page ended, which
// must be another key each time.
func (k *outsideScan) pages(ctx context.Context, next func(start item) (items []item, last item, err error)) error {
	var start item
	var before []byte
	for {
		if err := k.txn.store.check(ctx); err != nil {
			return err
		}
		items, last, err := next(start)
		if err != nil {
			return err
		}
		for _, attributes := range items {
			if err := k.take(attributes); err != nil || !k.more() {
				return err
			}
		}
		if len(last) == 0 {
			return nil
		}
		key, err := nativeKey(k.space.Outside, last)
		if err != nil {
			return err
		}
		position := slices.Concat(key.Partition, key.Sort)
		if bytes.Equal(position, before) {
			return errGarbage.WithDetail("A page of DynamoDB table \"%s\" ends where the one before it did.",
				k.space.Outside.Table)
		}
		start, before = last, position
		if k.filtered && k.ask.Next == nil && !k.emit() {
			return nil
		}
	}
}

// take delivers an item that is in the range, and wanted.
func (k *outsideScan) take(attributes item) error {
	key, err := nativeKey(k.space.Outside, attributes)
	if err != nil {
		return err
	}
	whole := slices.Concat(key.Partition, key.Sort)
	if r := k.within; r.Partition != nil {
		if !bytes.Equal(key.Partition, r.Partition) {
			return errGarbage.WithDetail("An item of DynamoDB table \"%s\" is in another partition than was asked for.",
				k.space.Outside.Table)
		}
		if whole = key.Sort; bytes.Compare(whole, r.From) < 0 || r.To != nil && bytes.Compare(whole, r.To) >= 0 {
			return nil // conditions may say less than the range
		}
	}
	if k.ask.Range.Partition != nil {
		if err := k.deliverOwn(whole); err != nil || !k.more() {
			return err
		}
	}
	k.last = attributes
	if len(k.own.hidden) > 0 {
		row, err := rowKey(k.space.Outside, attributes)
		if err != nil || k.own.hidden[wholeKey(row)] {
			return err
		}
	}
	if k.ask.Skip != nil && !k.ask.Skip.Wanted(whole) {
		return nil
	}
	if !ofKind(k.space, attributes) {
		k.ask.Stats.Filtered++
		return nil
	}
	if k.ask.Remember {
		before := len(k.txn.reads.first)
		err := k.txn.rememberOutside(k.space, overlayKey(k.space, key), attributes, seen{after: k.after}, false)
		if k.ask.Stats.Remembered += int64(len(k.txn.reads.first) - before); err != nil {
			return err
		}
	}
	k.found++
	return k.deliver(key, whole, attributes)
}

// deliver adds the row of an item to the batch.
func (k *outsideScan) deliver(key store.Key, whole []byte, attributes item) error {
	if err := decodeOutsideColumns(k.space, k.ask.Columns, attributes, k.batch.Add()); err != nil {
		return err
	}
	if k.added(key, attributes) {
		k.end(whole)
	}
	return nil
}

// deliverOwn delivers the items of the transaction that the scan meets no later than a key, or all that are left.
func (k *outsideScan) deliverOwn(upTo []byte) error {
	for len(k.own.items) > 0 && k.more() {
		i := k.own.items[0]
		if order := bytes.Compare(i.bound, upTo); upTo != nil && order != 0 && order < 0 == k.ask.Reverse {
			return nil
		}
		k.own.items = k.own.items[1:]
		k.ask.Stats.Examined++
		if err := k.deliver(i.key, i.bound, i.attributes); err != nil {
			return err
		}
	}
	return nil
}

func indexName(o *store.Outside) *string {
	if o.Index == "" {
		return nil
	}
	return &o.Index
}

// outsideProjection asks for the key and some columns, or for all that a write rests on.
func outsideProjection(s *store.Space, columns []int, remember bool) projection {
	if remember {
		return projectionOf(knownNames(s))
	}
	var names []string
	for _, a := range slices.Concat(s.Outside.Partition, s.Outside.Sort, s.Outside.Row, s.Outside.Others) {
		names = append(names, a.Name)
	}
	for _, c := range columns {
		if c != store.NoColumn && s.Columns[c].Name != "" {
			names = append(names, s.Columns[c].Name)
		}
	}
	return projectionOf(names)
}

// outsideError says what has become of a table, or an index, that is not there as it was when its
// foreign table was made.
func outsideError(o *store.Outside, err error) error {
	refusal := outsideRefused(err, "read", o.Table)
	switch {
	case refusal == nil:
		return readError(o.Table, err)
	case refusal.Code == sqlerr.ForeignError:
		return refusal.WithHint("If the table or its indexes have changed, ALTER FOREIGN TABLE ... OPTIONS (SET table_name '%s') reads their definitions again.", o.Table)
	}
	return refusal
}

// outsideRefused is an error about a table of other programs that is not there, or for which DynamoDB does not take a
// request to read or write it; nil for others.
func outsideRefused(err error, verb, table string) *sqlerr.Error {
	var gone *ddb.ResourceNotFoundException
	if errors.As(err, &gone) {
		return sqlerr.Wrap(err, sqlerr.ForeignTableNotFound, "DynamoDB table \"%s\" does not exist", table)
	}
	if notTaken(err) {
		return refusedTo(err, verb, table, message(err))
	}
	return nil
}

func refusedTo(err error, verb, table, why string) *sqlerr.Error {
	return sqlerr.Wrap(err, sqlerr.ForeignError, "DynamoDB refused to %s table \"%s\"", verb, table).
		WithDetail("%s", why)
}

// message is what DynamoDB says of an error.
func message(err error) string {
	var of interface{ ErrorMessage() string }
	if errors.As(err, &of) {
		return of.ErrorMessage()
	}
	return err.Error()
}
