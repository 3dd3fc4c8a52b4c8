package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/sample"
)

// SampleLimits say how much of a table a sample may be.
type SampleLimits struct {
	Items int
	Units float64 // read units
	// Announce is called before the first item is read, with the most units that are read. nil: it is not.
	Announce func(most float64)
}

// How a table is sampled. Segments are ranges of hashes of partition keys, so those in a spread show partitions of all
// kinds.
const (
	segments      = 32
	segmentStride = 13 // odd, so that it visits all, far from the last ones
)

// What an eventual read costs at the most. A page ends with the item that makes it longer than 1 MB, and an item has up
// to 400 KB.
const (
	itemUnits = 50
	pageUnits = 128 + itemUnits
)

// LeastSampleUnits are the fewest units with which an item is read for sure, if there is one: a segment without any
// costs half a unit.
const LeastSampleUnits = itemUnits + segments/2

// sampling is a sample that is being read.
type sampling struct {
	*Store
	*sample.Sample
	limits SampleLimits
}

// SampleTable reads some items of a table of another program, and what the table says of itself. It writes nothing.
// The units are a limit of what DynamoDB charges, unless answers are lost and requests repeated.
func SampleTable(ctx context.Context, s *Store, table string, limits SampleLimits) (*sample.Sample, error) {
	if _, own := s.space(table); own {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "table \"%s\" belongs to zproxy itself", table)
	}
	found, err := described(ctx, s, table)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, sqlerr.New(sqlerr.ForeignTableNotFound, "DynamoDB table \"%s\" does not exist", table)
	}
	r := &sampling{s, &sample.Sample{Table: sampledTable(table, found)}, limits}
	if r.Table.Partition.Name == "" {
		return nil, garbage(table, errors.New("its description has no key"))
	}
	r.describeExpiry(ctx)
	r.describeBackups(ctx)
	if limits.Announce != nil {
		limits.Announce(limits.Units)
	}
	return r.Sample, r.read(ctx)
}

// read reads a part of each segment, and goes on in those that have more until a limit is reached.
func (r *sampling) read(ctx context.Context) error {
	var behind [segments]map[string]ddb.AttributeValue
	var ended [segments]bool
	for left := segments; left > 0; {
		for n := range segments {
			segment := n * segmentStride % segments
			if ended[segment] {
				continue
			}
			items := r.affordable()
			if items == 0 {
				return nil
			}
			if err := r.check(ctx); err != nil {
				return err
			}
			page, err := r.client.Scan(ctx, &dynamodb.ScanInput{
				TableName: &r.Table.Name, Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(segments),
				Limit: aws.Int32(int32(items)), ExclusiveStartKey: behind[segment],
				ReturnConsumedCapacity: ddb.ReturnConsumedCapacityTotal,
			})
			if err != nil {
				return outsideError(&store.Outside{Table: r.Table.Name}, err)
			}
			r.add(page, items)
			if behind[segment] = page.LastEvaluatedKey; len(page.LastEvaluatedKey) == 0 {
				ended[segment] = true
				left--
			}
		}
	}
	return nil
}

// affordable is how many items the next page may have, so that it exceeds no limit whatever their size is.
func (r *sampling) affordable() int {
	items := min((r.limits.Items+segments-1)/segments, r.limits.Items-len(r.Sample.Items))
	if left := r.limits.Units - r.Units; left < pageUnits {
		items = min(items, int(left/itemUnits))
	}
	return max(items, 0)
}

// add adds the items of a page, and what it cost. An answer that does not say it cost the most.
func (r *sampling) add(page *dynamodb.ScanOutput, items int) {
	units := float64(min(items*itemUnits, pageUnits))
	if page.ConsumedCapacity != nil && page.ConsumedCapacity.CapacityUnits != nil {
		units = *page.ConsumedCapacity.CapacityUnits
	}
	r.Units += units
	for _, attributes := range page.Items {
		item := make(sample.Item, len(attributes))
		for name, a := range attributes {
			item[name] = sampledValue(a)
		}
		r.Sample.Items = append(r.Sample.Items, item)
	}
}

// sampledValue is a value with its text, if it is a scalar with a text.
func sampledValue(a ddb.AttributeValue) sample.Value {
	switch a := a.(type) {
	case *ddb.AttributeValueMemberS:
		return sample.Value{Type: sample.String, Text: a.Value}
	case *ddb.AttributeValueMemberN:
		return sample.Value{Type: sample.Number, Text: a.Value}
	case *ddb.AttributeValueMemberBOOL:
		return sample.Value{Type: sample.Bool, Text: strconv.FormatBool(a.Value)}
	case *ddb.AttributeValueMemberB:
		return sample.Value{Type: sample.Binary}
	case *ddb.AttributeValueMemberM:
		return sample.Value{Type: sample.Map}
	case *ddb.AttributeValueMemberL:
		return sample.Value{Type: sample.List}
	case *ddb.AttributeValueMemberSS:
		return sample.Value{Type: sample.StringSet}
	case *ddb.AttributeValueMemberNS:
		return sample.Value{Type: sample.NumberSet}
	case *ddb.AttributeValueMemberBS:
		return sample.Value{Type: sample.BinarySet}
	}
	return sample.Value{Type: sample.Null}
}

// sampledTable makes our words of DynamoDB's description of a table.
func sampledTable(name string, t *ddb.TableDescription) sample.Table {
	kinds := map[string]sample.Type{}
	for _, a := range t.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = sample.Type(a.AttributeType)
	}
	keys := func(schema []ddb.KeySchemaElement, role ddb.KeyType) (out []sample.Attribute) {
		for _, k := range schema {
			if name := aws.ToString(k.AttributeName); k.KeyType == role {
				out = append(out, sample.Attribute{Name: name, Type: kinds[name]})
			}
		}
		return out
	}
	out := sample.Table{Name: name, Items: aws.ToInt64(t.ItemCount), Bytes: aws.ToInt64(t.TableSizeBytes),
		Stream: "none"}
	for _, a := range keys(t.KeySchema, ddb.KeyTypeHash) {
		out.Partition = a
	}
	for _, a := range keys(t.KeySchema, ddb.KeyTypeRange) {
		out.Sort = a
	}
	add := func(name *string, schema []ddb.KeySchemaElement) {
		x := sample.Index{Name: aws.ToString(name), Keys: keys(schema, ddb.KeyTypeHash)}
		x.Keys = append(x.Keys, keys(schema, ddb.KeyTypeRange)...)
		out.Indexes = append(out.Indexes, x)
	}
	for _, x := range t.LocalSecondaryIndexes {
		add(x.IndexName, x.KeySchema)
	}
	for _, x := range t.GlobalSecondaryIndexes {
		add(x.IndexName, x.KeySchema)
	}
	if on := t.StreamSpecification; on != nil && aws.ToBool(on.StreamEnabled) {
		out.Stream = string(on.StreamViewType)
	}
	return out
}

// describeExpiry notes the attribute by which items expire. A sample is of use without it, so no error ends the
// command.
func (r *sampling) describeExpiry(ctx context.Context) {
	t := &r.Table
	answer, err := r.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.Name})
	switch {
	case err != nil:
		t.TTL = unknown(err)
	case answer.TimeToLiveDescription != nil:
		t.TTL = removes(answer.TimeToLiveDescription)
	}
}

// describeBackups notes whether the table can be restored to a point in time.
func (r *sampling) describeBackups(ctx context.Context) {
	t := &r.Table
	answer, err := r.client.DescribeContinuousBackups(ctx,
		&dynamodb.DescribeContinuousBackupsInput{TableName: &t.Name})
	t.Recovery = "off"
	switch {
	case err != nil:
		t.Recovery = unknown(err)
	case answer.ContinuousBackupsDescription == nil:
	case answer.ContinuousBackupsDescription.PointInTimeRecoveryDescription == nil:
	case answer.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus ==
		ddb.PointInTimeRecoveryStatusEnabled:
		t.Recovery = "on"
	}
}

// unknown says why something of a table is not known.
func unknown(err error) string {
	var api interface{ ErrorCode() string }
	if errors.As(err, &api) {
		return fmt.Sprintf("unknown (%s)", api.ErrorCode())
	}
	return "unknown"
}
