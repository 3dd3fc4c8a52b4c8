package dynamostore

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// The parts of a record are items beside it. Some list the keys of what the transaction writes, so that others can
// finish it; they are there before the intents. Others have the state of an item that is too large to have two.

// The attributes of a part.
const (
	tablesAttribute = "tables" // of a list of keys: the tables, by number
	typesAttribute  = "types"  // of each table the types of its two key attributes, two letters
	keysAttribute   = "keys"   // each the number of its table, and its bytes
	itemAttribute   = "item"   // of a state: the attributes
)

// keyAttributes are those of a key.
var keyAttributes = []string{partitionAttribute, sortAttribute}

const (
	// partBytes is how large a list of keys gets.
	partBytes = 256 << 10
	maxParts  = math.MaxInt32
)

func partKey(txn txnID, n uint32) item {
	return item{partitionAttribute: &ddb.AttributeValueMemberB{Value: txn[:]},
		sortAttribute: &ddb.AttributeValueMemberB{Value: binary.BigEndian.AppendUint32(nil, n)}}
}

// keyLists are lists of the items that writes go to, each of which is a part.
func keyLists(writes []write) (lists []item) {
	var tables []string
	var types, keys []byte
	end := func() {
		if keys == nil {
			return
		}
		names := &ddb.AttributeValueMemberL{}
		for _, table := range tables {
			names.Value = append(names.Value, &ddb.AttributeValueMemberS{Value: table})
		}
		lists = append(lists, item{tablesAttribute: names,
			typesAttribute: &ddb.AttributeValueMemberS{Value: string(types)},
			keysAttribute:  &ddb.AttributeValueMemberB{Value: keys}})
		tables, types, keys = nil, nil, nil
	}
	for i := range writes {
		at := slices.Index(tables, writes[i].table)
		if at < 0 {
			at, tables = len(tables), append(tables, writes[i].table)
			for _, attribute := range keyAttributes {
				types = append(types, string(scalarOf(writes[i].key[attribute]))...)
			}
		}
		keys = binary.AppendUvarint(keys, uint64(at))
		for _, attribute := range keyAttributes {
			b := keyBytes(writes[i].key, attribute)
			keys = append(binary.AppendUvarint(keys, uint64(len(b))), b...)
		}
		if len(keys) > partBytes {
			end()
		}
	}
	end()
	return lists
}

var errPart = errors.New("a part of the record of a transaction is not what was written")

// targetsOf are the items that a part lists, none if it is another part.
func targetsOf(part item) (list []target, err error) {
	names, is := part[tablesAttribute].(*ddb.AttributeValueMemberL)
	if !is {
		return nil, nil
	}
	keys, _ := part[keysAttribute].(*ddb.AttributeValueMemberB)
	types, _ := part[typesAttribute].(*ddb.AttributeValueMemberS)
	if keys == nil || types == nil || len(types.Value) != len(keyAttributes)*len(names.Value) {
		return nil, errPart
	}
	for rest := keys.Value; len(rest) > 0; {
		at, n := binary.Uvarint(rest)
		if n <= 0 || at >= uint64(len(names.Value)) {
			return nil, errPart
		}
		rest = rest[n:]
		table, _ := names.Value[at].(*ddb.AttributeValueMemberS)
		if table == nil {
			return nil, errPart
		}
		to := target{table: table.Value, key: item{}}
		for i, attribute := range keyAttributes {
			size, n := binary.Uvarint(rest)
			if n <= 0 || size > uint64(len(rest)-n) {
				return nil, errPart
			}
			if size > 0 { // no key is empty: this is of a table without sort keys
				of := types.Value[len(keyAttributes)*int(at)+i:][:1]
				to.key[attribute] = keyAttribute(rest[n:n+int(size)], ddb.ScalarAttributeType(of))
			}
			rest = rest[n+int(size):]
		}
		list = append(list, to)
	}
	return list, nil
}

// putPart writes a part of a record. It may be written again.
func (r *records) putPart(ctx context.Context, c *committer, txn txnID, n uint32, part item) error {
	in := &dynamodb.PutItemInput{
		TableName: aws.String(r.table()), Item: partKey(txn, n),
		ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
	}
	maps.Copy(in.Item, part)
	out, err := r.store.client.PutItem(ctx, in)
	if err != nil {
		return err
	}
	c.charge(out.ConsumedCapacity)
	return nil
}

// part reads the state that a part has; nil: it is gone.
func (r *records) part(ctx context.Context, id intentID, n uint32, stats *store.Stats) (item, error) {
	of, err := r.get(ctx, partKey(id.txn, n), stats)
	if err != nil || len(of) == 0 {
		return nil, err
	}
	m, is := of[itemAttribute].(*ddb.AttributeValueMemberM)
	if !is {
		return nil, garbage(r.table(), errPart)
	}
	return m.Value, nil
}

// eachPart visits the parts of a record.
func (r *records) eachPart(ctx context.Context, txn txnID, visit func(part item) error) error {
	pages := dynamodb.NewQueryPaginator(r.store.client, &dynamodb.QueryInput{
		TableName: aws.String(r.table()), KeyConditionExpression: aws.String(partitionAttribute + " = :p"),
		ExpressionAttributeValues: item{":p": &ddb.AttributeValueMemberB{Value: txn[:]}},
		ConsistentRead:            aws.Bool(true),
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, part := range page.Items {
			if err := visit(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeParts removes the parts of a record.
func (r *records) removeParts(ctx context.Context, txn txnID) error {
	return r.eachPart(ctx, txn, func(part item) error {
		_, err := r.store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(r.table()),
			Key: keyOf(part)})
		return err
	})
}
