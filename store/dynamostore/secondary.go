package dynamostore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// A space with a Base is a global secondary index of the table of its Base. Each item of the table carries its key in
// the index in two binary attributes, and the index holds the items that have both.

// secondary says whether a space is such an index.
func secondary(s *store.Space) bool { return s.Base != 0 }

// keyNames are the attributes of a key in a space.
func keyNames(s *store.Space) (partition, sort string) {
	if secondary(s) {
		return carried(s.ID)
	}
	return partitionAttribute, sortAttribute
}

// carried are the attributes in which items of a table have their keys in an index.
func carried(id store.SpaceID) (partition, sort string) {
	name := "_x" + strconv.FormatUint(uint64(id), 10)
	return name + "p", name + "s"
}

// carry adds the keys of an item in the indexes of its table.
func carry(s *store.Space, parts []types.Value, to item) error {
	if len(parts) != 2*len(s.Carries) {
		return fmt.Errorf("%d values for the keys in %d indexes of space %s", len(parts), len(s.Carries), s.Name)
	}
	for i, id := range s.Carries {
		if parts[2*i].IsNull() {
			continue
		}
		partition, sort := carried(id)
		to[partition] = &ddb.AttributeValueMemberB{Value: bytes.Clone(nonEmpty(parts[2*i].Bytes()))}
		to[sort] = &ddb.AttributeValueMemberB{Value: bytes.Clone(nonEmpty(parts[2*i+1].Bytes()))}
	}
	return nil
}

// indexOf is the name of the index that a space is; nil: it is none.
func indexOf(s *store.Space) *string {
	if !secondary(s) {
		return nil
	}
	return &s.Name
}

// secondaries makes and removes indexes of tables.
type secondaries struct{ *Store }

// create makes an index, and waits until it can be read.
func (s secondaries) create(ctx context.Context, sp *store.Space) error {
	table := s.table(sp)
	for wait := minTablePoll; ; wait = min(2*wait, maxTablePoll) {
		now, err := s.waitForTable(ctx, table)
		if err != nil {
			return err
		}
		if indexIn(now, sp.Name) != nil {
			break
		}
		if !underWay(now) { // DynamoDB makes or removes one index of a table at a time
			if _, err := s.client.UpdateTable(ctx, newIndex(sp, now)); err != nil {
				// What is refused, and is there nevertheless, was made by an attempt whose answer was lost.
				now, no := s.waitForTable(ctx, table)
				if no == nil && !underWay(now) && indexIn(now, sp.Name) == nil {
					return refusal(sp, err)
				}
			}
		}
		if err := store.Sleep(ctx, wait); err != nil {
			return err
		}
	}
	return s.await(ctx, table, sp.Name)
}

// newIndex is the request that makes an index of a table.
func newIndex(sp *store.Space, table *ddb.TableDescription) *dynamodb.UpdateTableInput {
	partition, sort := carried(sp.ID)
	projection := ddb.Projection{ProjectionType: ddb.ProjectionTypeKeysOnly}
	for _, c := range sp.Columns {
		projection.ProjectionType = ddb.ProjectionTypeInclude
		projection.NonKeyAttributes = append(projection.NonKeyAttributes, attributeName(c.Name))
	}
	_, provisioned, onDemand := throughput(sp.Capacity)
	return &dynamodb.UpdateTableInput{TableName: table.TableName,
		// They are those of all keys of the table.
		AttributeDefinitions: append(slices.Clone(table.AttributeDefinitions),
			ddb.AttributeDefinition{AttributeName: &partition, AttributeType: ddb.ScalarAttributeTypeB},
			ddb.AttributeDefinition{AttributeName: &sort, AttributeType: ddb.ScalarAttributeTypeB}),
		GlobalSecondaryIndexUpdates: []ddb.GlobalSecondaryIndexUpdate{{Create: &ddb.CreateGlobalSecondaryIndexAction{
			IndexName: &sp.Name, Projection: &projection, ProvisionedThroughput: provisioned,
			OnDemandThroughput: onDemand,
			KeySchema: []ddb.KeySchemaElement{{AttributeName: &partition, KeyType: ddb.KeyTypeHash},
				{AttributeName: &sort, KeyType: ddb.KeyTypeRange}}}}}}
}

// underWay says whether an index of a table is being made or removed.
func underWay(t *ddb.TableDescription) bool {
	return slices.ContainsFunc(t.GlobalSecondaryIndexes, func(x ddb.GlobalSecondaryIndexDescription) bool {
		return x.IndexStatus == ddb.IndexStatusCreating || x.IndexStatus == ddb.IndexStatusDeleting
	})
}

// indexIn is what DynamoDB says of an index; nil: the table has none of that name.
func indexIn(t *ddb.TableDescription, index string) *ddb.GlobalSecondaryIndexDescription {
	i := slices.IndexFunc(t.GlobalSecondaryIndexes,
		func(x ddb.GlobalSecondaryIndexDescription) bool { return aws.ToString(x.IndexName) == index })
	if i < 0 {
		return nil
	}
	return &t.GlobalSecondaryIndexes[i]
}

// await waits until an index of a table can be read. The table can be written meanwhile.
func (s secondaries) await(ctx context.Context, table, index string) error {
	for wait := minTablePoll; ; wait = min(2*wait, maxTablePoll) {
		now, err := s.waitForTable(ctx, table)
		if err != nil {
			return err
		}
		if x := indexIn(now, index); x != nil && x.IndexStatus == ddb.IndexStatusActive {
			return nil
		}
		if err := store.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// drop removes an index, and waits until it is gone, perhaps with its table.
func (s secondaries) drop(ctx context.Context, sp *store.Space) error {
	table := s.table(sp)
	return untilGone(ctx, s.Store, fmt.Sprintf("index %s of table %s", sp.Name, table), func() error {
		_, err := s.client.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &table,
			GlobalSecondaryIndexUpdates: []ddb.GlobalSecondaryIndexUpdate{
				{Delete: &ddb.DeleteGlobalSecondaryIndexAction{IndexName: &sp.Name}}}})
		var another *ddb.LimitExceededException
		if errors.As(err, &another) { // index of the table is being made or removed
			return nil
		}
		return err
	})
}

// entriesOwed is what the entries of new and of deleted items in indexes cost, a unit for each, when their intents are
// made real. Which keys an item changes that stays is not known here.
func entriesOwed(writes []write) (units float64) {
	for i := range writes {
		w := &writes[i]
		gone := w.attributes == nil && w.seen != 0 && !w.touch && !w.check
		if gone || w.attributes != nil && w.seen == 0 {
			units += float64(w.carries)
		}
	}
	return units
}

// errNotSecondary is about what an index that follows its table cannot do.
var errNotSecondary = errors.New("dynamodb: a secondary index is not read to be remembered or validated, nor written")

// baseKey is the key that an item of an index has in its table, whole.
func baseKey(attributes item) (string, error) {
	partition, err := decodeKeyPart(attributes, partitionAttribute)
	if err != nil || attributes[sortAttribute] == nil {
		return string(partition), err
	}
	sort, err := decodeKeyPart(attributes, sortAttribute)
	return string(partition) + string(sort), err
}

// takeRows takes those writes of the transaction in the table of an index that are in the range of a scan of the index,
// and notes of all of them that what the index holds of these items does not count.
func (k *scan) takeRows() error {
	k.own, k.hidden = map[string][]overlay.Write[item]{}, map[string]bool{}
	from, to := overlay.AppendBounds(nil, k.space.Base, store.Range{})
	c := k.txn.own.Cursor(from, to, false, k.at)
	for w, ok := c.Next(nil); ok; w, ok = c.Next(nil) {
		k.hidden[wholeKey(splitKey(&w))] = true
		if name, _ := carried(k.space.ID); w.Delete || w.Payload[name] == nil || k.ask.Range.Segment > 0 {
			continue
		}
		key, err := decodeKey(k.space, w.Payload)
		if err != nil {
			return err
		}
		whole := ownItem{key: key, bound: key.Sort}
		if k.ask.Range.Partition == nil {
			whole.bound = slices.Concat(key.Partition, key.Sort)
		}
		if !contains(k.ask.Range, &whole) {
			continue
		}
		w.Key, w.Partition = overlayKey(k.space, key), len(key.Partition)
		k.own[string(key.Partition)] = append(k.own[string(key.Partition)], w)
	}
	for _, list := range k.own {
		slices.SortFunc(list, func(a, b overlay.Write[item]) int {
			if k.ask.Reverse {
				a, b = b, a
			}
			return bytes.Compare([]byte(a.Key), []byte(b.Key))
		})
	}
	return nil
}

// getSecondary is Get for an index, of which only queries read.
func getSecondary(
	ctx context.Context, t *txn, s *store.Space, ask *store.Get, out *types.Batch,
) ([]bool, error) {
	if ask.Remember {
		return nil, errNotSecondary
	}
	found := make([]bool, len(ask.Keys))
	for i, key := range ask.Keys {
		scan := store.Scan{Columns: ask.Columns, At: ask.At, Stats: ask.Stats,
			Range: store.Range{Partition: key.Partition, From: key.Sort, To: append(bytes.Clone(key.Sort), 0)}}
		row := out.Add()
		for batch, err := range t.Scan(ctx, s, &scan) {
			if err != nil {
				return nil, err
			}
			if batch.Len() > 0 {
				found[i] = copy(row, batch.Row(0)) == len(row)
			}
		}
	}
	return found, nil
}
