package dynamostore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// txnState is what a transaction is decided to be.
type txnState string

// The states. A transaction of which there is no record has ended, and has no intents: what looks like one
// was sent before and has arrived late.
const (
	statePending   txnState = "pending"
	stateCommitted txnState = "committed"
	stateAborted   txnState = "aborted"
	stateMissing   txnState = ""
)

// record is that of a transaction. Its state is the only thing that decides whether the transaction commits.
type record struct {
	state txnState
	beat  int64           // grows while its owner lives
	void  map[uint32]bool // attempts whose answer was lost: their intents do not count, should they arrive
	// resolved says that all intents were, and that the record is there for those that may still arrive.
	resolved bool
}

// holds says whether an intent counts.
func (r *record) holds(id intentID) bool { return r.state == stateCommitted && !r.void[id.attempt] }

// The attributes of a record. All records have the partition recordsPartition, so that one request lists them, and
// the transaction for their sort key. The parts of a record are in the transaction's partition, by number.
const (
	stateAttribute = "state"
	beatAttribute  = "beat"
	voidAttribute  = "void"
	doneAttribute  = "resolved"
)

var recordsPartition = []byte("transactions")

// records keeps those of transactions that commit by intents, in a table of its own.
type records struct {
	store *Store
	there atomic.Bool // the table
	mu    sync.Mutex
	ended map[txnID]record // that will not change any more, the last ones
	kept  sync.Map         // the transactions that this process works on, with their keepers
}

// maxEnded is how many transactions that ended are remembered.
const maxEnded = 4096

// table has no number behind, so it is no space's.
func (r *records) table() string { return r.store.prefix + ".transactions" }

// ensure makes the table, unless it is there.
func (r *records) ensure(ctx context.Context) error {
	if r.there.Load() {
		return nil
	}
	table := r.table()
	in := &dynamodb.CreateTableInput{TableName: &table, BillingMode: ddb.BillingModePayPerRequest}
	addKey(in, partitionAttribute, ddb.KeyTypeHash, ddb.ScalarAttributeTypeB)
	addKey(in, sortAttribute, ddb.KeyTypeRange, ddb.ScalarAttributeTypeB)
	_, err := r.store.client.CreateTable(ctx, in)
	var exists *ddb.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		return refusal(&store.Space{Name: table}, err)
	}
	if _, err := r.store.waitForTable(ctx, table); err != nil {
		return err
	}
	r.there.Store(true)
	return nil
}

func recordKey(txn txnID) item {
	return item{partitionAttribute: &ddb.AttributeValueMemberB{Value: recordsPartition},
		sortAttribute: &ddb.AttributeValueMemberB{Value: txn[:]}}
}

// create makes the record of a transaction that is pending. One that is there is ours, by an attempt whose answer was
// lost.
func (r *records) create(ctx context.Context, c *committer, txn txnID) error {
	in := &dynamodb.PutItemInput{
		TableName: aws.String(r.table()), Item: recordKey(txn),
		ConditionExpression:    aws.String("attribute_not_exists(" + partitionAttribute + ")"),
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}
	in.Item[stateAttribute] = &ddb.AttributeValueMemberS{Value: string(statePending)}
	in.Item[beatAttribute] = encodeVersion(1)
	out, err := r.store.client.PutItem(ctx, in)
	var failed *ddb.ConditionalCheckFailedException
	switch {
	case err == nil:
		c.charge(out.ConsumedCapacity)
		return nil
	case errors.As(err, &failed):
		return nil
	}
	return err
}

// renew tells others that a record has an owner that lives: its beat becomes the next one. It is an ErrConflict if the
// record is not in the state in which the owner left it, or another has taken it over.
func (r *records) renew(ctx context.Context, txn txnID, in txnState, beat int64) error {
	_, err := r.store.update(ctx, r.table(), recordKey(txn), "SET #b = :next", condition{
		expression: aws.String("#s = :s AND #b = :b"),
		names:      map[string]string{"#b": beatAttribute, "#s": stateAttribute},
		values: item{":b": encodeVersion(beat), ":next": encodeVersion(beat + 1),
			":s": &ddb.AttributeValueMemberS{Value: string(in)}},
	})
	var failed *ddb.ConditionalCheckFailedException
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &failed):
		return writeError(err)
	}
	if now, err := decodeRecord(failed.Item); err == nil && now.state == in && now.beat == beat+1 {
		return nil // by an attempt whose answer was lost
	}
	return errAborted
}

// errAborted is the conflict of a transaction that another has aborted.
var errAborted = fmt.Errorf("dynamodb: another transaction that wrote the same rows went first: %w", store.ErrConflict)

// decide moves a record that is pending to another state, if its owner has not renewed it since a beat was seen;
// 0: anyway. It gives the record as it is then, which may be decided otherwise.
func (r *records) decide(ctx context.Context, txn txnID, to record, seen int64) (record, error) {
	c := condition{expression: aws.String("#s = :from"),
		names: map[string]string{"#s": stateAttribute, "#v": voidAttribute},
		values: item{":to": &ddb.AttributeValueMemberS{Value: string(to.state)},
			":from": &ddb.AttributeValueMemberS{Value: string(statePending)}, ":v": encodeAttempts(to.void)}}
	if seen != 0 {
		*c.expression += " AND #b = :seen"
		c.names["#b"], c.values[":seen"] = beatAttribute, encodeVersion(seen)
	}
	_, err := r.store.update(ctx, r.table(), recordKey(txn), "SET #s = :to, #v = :v", c)
	var failed *ddb.ConditionalCheckFailedException
	switch {
	case errors.As(err, &failed):
		return r.known(txn, failed.Item)
	case err != nil:
		return record{}, err
	}
	to.beat = seen
	r.remember(txn, to)
	return to, nil
}

// read reads a record. One that ended is known.
func (r *records) read(ctx context.Context, txn txnID, stats *store.Stats) (record, error) {
	r.mu.Lock()
	rec, ended := r.ended[txn]
	r.mu.Unlock()
	if ended {
		return rec, nil
	}
	of, err := r.get(ctx, recordKey(txn), stats)
	if err != nil {
		return record{}, err
	}
	return r.known(txn, of)
}

// get reads an item of the table; nil: it is not there.
func (r *records) get(ctx context.Context, key item, stats *store.Stats) (item, error) {
	out, err := r.store.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: aws.String(r.table()), Key: key, ConsistentRead: aws.Bool(true),
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return nil, readError(r.table(), err)
	}
	countRead(stats, out.ConsumedCapacity)
	return out.Item, nil
}

// known is the record that an item has. It is remembered when it is decided.
func (r *records) known(txn txnID, of item) (record, error) {
	if len(of) == 0 {
		return record{}, nil
	}
	rec, err := decodeRecord(of)
	if err != nil {
		return rec, garbage(r.table(), err)
	}
	if rec.state != statePending {
		r.remember(txn, rec)
	}
	return rec, nil
}

// remember keeps a record that ended. Which one it drops for it does not matter.
func (r *records) remember(txn txnID, rec record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == nil {
		r.ended = map[txnID]record{}
	}
	if len(r.ended) >= maxEnded {
		for other := range r.ended {
			delete(r.ended, other)
			break
		}
	}
	r.ended[txn] = rec
}

// noteResolved keeps a record of which all intents that have arrived were resolved.
func (r *records) noteResolved(ctx context.Context, txn txnID) error {
	c := condition{expression: aws.String("attribute_exists(#s)"), values: item{":d": encodeVersion(1)},
		names: map[string]string{"#s": stateAttribute, "#d": doneAttribute}}
	_, err := r.store.update(ctx, r.table(), recordKey(txn), "SET #d = :d", c)
	return unlessGone(err)
}

// remove removes a record of which no intent is left.
func (r *records) remove(ctx context.Context, txn txnID) error {
	_, err := r.store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(r.table()),
		Key: recordKey(txn)})
	return err
}

// list reads all records.
func (r *records) list(ctx context.Context) (map[txnID]record, error) {
	list := map[txnID]record{}
	pages := dynamodb.NewQueryPaginator(r.store.client, &dynamodb.QueryInput{
		TableName: aws.String(r.table()), KeyConditionExpression: aws.String(partitionAttribute + " = :p"),
		ExpressionAttributeValues: item{":p": &ddb.AttributeValueMemberB{Value: recordsPartition}},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, of := range page.Items {
			rec, err := decodeRecord(of)
			key, is := of[sortAttribute].(*ddb.AttributeValueMemberB)
			if err != nil || !is || len(key.Value) != len(txnID{}) {
				return nil, garbage(r.table(), errRecord)
			}
			list[txnID(key.Value)] = rec
		}
	}
	return list, nil
}

var errRecord = errors.New("a record of a transaction is not what was written")

func decodeRecord(of item) (rec record, err error) {
	state, is := of[stateAttribute].(*ddb.AttributeValueMemberS)
	if !is {
		return rec, errRecord
	}
	switch rec.state = txnState(state.Value); rec.state {
	case statePending, stateCommitted, stateAborted:
	default:
		return rec, errRecord
	}
	if rec.beat, err = decodeInt(of[beatAttribute]); err != nil {
		return rec, errRecord
	}
	if rec.state != statePending {
		rec.void, err = decodeAttempts(of[voidAttribute])
	}
	_, rec.resolved = of[doneAttribute]
	return rec, err
}

// encodeAttempts makes a B, which is not empty.
func encodeAttempts(list map[uint32]bool) ddb.AttributeValue {
	buf := []byte{0}
	for attempt := range list {
		buf = binary.BigEndian.AppendUint32(buf, attempt)
	}
	return &ddb.AttributeValueMemberB{Value: buf}
}

func decodeAttempts(a ddb.AttributeValue) (map[uint32]bool, error) {
	b, is := a.(*ddb.AttributeValueMemberB)
	if !is || len(b.Value)%4 != 1 {
		return nil, errRecord
	}
	list := map[uint32]bool{}
	for at := 1; at < len(b.Value); at += 4 {
		list[binary.BigEndian.Uint32(b.Value[at:])] = true
	}
	return list, nil
}
