package dynamostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

var _ store.Outsider = (*Store)(nil)

// serverName is what SQL calls DynamoDB.
const serverName = "dynamodb"

// Server implements store.Outsider.
func (s *Store) Server() string { return serverName }

// Tables implements store.Outsider. Tables of our own are not among them.
func (s *Store) Tables(ctx context.Context) ([]string, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	var names []string
	pages := dynamodb.NewListTablesPaginator(s.client, &dynamodb.ListTablesInput{Limit: aws.Int32(100)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("dynamodb: %w", err)
		}
		for _, name := range page.TableNames {
			if _, own := s.space(name); !own && name != s.records.table() {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// Describe implements store.Outsider.
func (s *Store) Describe(ctx context.Context, table string) (*store.OutsideTable, error) {
	found, err := described(ctx, s, table)
	if err != nil || found == nil {
		return nil, err
	}
	return describe(table, found)
}

// described is DynamoDB's description of a table, nil if there is no such table.
func described(ctx context.Context, s *Store, table string) (*ddb.TableDescription, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	if !tableName.MatchString(table) {
		return nil, nil
	}
	answer, err := s.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	var gone *ddb.ResourceNotFoundException
	if errors.As(err, &gone) {
		return nil, nil
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("dynamodb: %w", err)
	case answer.Table == nil:
		return nil, garbage(table, errNoDescription)
	}
	return answer.Table, nil
}

// describe makes our words of DynamoDB's description of a table.
func describe(table string, t *ddb.TableDescription) (*store.OutsideTable, error) {
	d := describer{table: table, types: map[string]types.T{}}
	for _, a := range t.AttributeDefinitions {
		d.types[aws.ToString(a.AttributeName)] = keyType(a.AttributeType)
	}
	out := &store.OutsideTable{
		Outside: d.outside(nil, t.KeySchema),
		Items:   aws.ToInt64(t.ItemCount), Bytes: aws.ToInt64(t.TableSizeBytes),
	}
	d.row = slices.Concat(out.Partition, out.Sort)
	for _, x := range t.LocalSecondaryIndexes {
		out.Indexes = append(out.Indexes, d.index(x.IndexName, x.KeySchema, x.Projection, false))
	}
	for _, x := range t.GlobalSecondaryIndexes {
		if x.IndexStatus == ddb.IndexStatusActive || x.IndexStatus == ddb.IndexStatusUpdating || x.IndexStatus == "" {
			out.Indexes = append(out.Indexes, d.index(x.IndexName, x.KeySchema, x.Projection, true))
		}
	}
	slices.SortFunc(out.Indexes, func(a, b store.OutsideIndex) int { return cmp.Compare(a.Index, b.Index) })
	if !hasKey(&out.Outside) || slices.ContainsFunc(out.Indexes,
		func(x store.OutsideIndex) bool { return !hasKey(&x.Outside) }) {
		return nil, garbage(table, errors.New("its description has no key"))
	}
	return out, nil
}

// hasKey says whether a description tells all of a key.
func hasKey(o *store.Outside) bool {
	return len(o.Partition) > 0 && !slices.ContainsFunc(slices.Concat(o.Partition, o.Sort),
		func(a store.Attribute) bool { return a.Type.OID == 0 })
}

// keyType is the type of a key attribute.
func keyType(of ddb.ScalarAttributeType) types.T {
	switch of {
	case ddb.ScalarAttributeTypeS:
		return types.Text
	case ddb.ScalarAttributeTypeN:
		return types.Numeric
	case ddb.ScalarAttributeTypeB:
		return types.Bytea
	}
	return types.T{}
}

// describer makes our words of DynamoDB's.
type describer struct {
	table string
	types map[string]types.T // of key attributes
	row   []store.Attribute
}

func (d *describer) outside(index *string, key []ddb.KeySchemaElement) store.Outside {
	o := store.Outside{Table: d.table, Index: aws.ToString(index), Row: d.row}
	for _, k := range key {
		a := store.Attribute{Name: aws.ToString(k.AttributeName)}
		a.Type = d.types[a.Name]
		if k.KeyType == ddb.KeyTypeHash {
			o.Partition = append(o.Partition, a)
		} else {
			o.Sort = append(o.Sort, a)
		}
	}
	return o
}

func (d *describer) index(name *string, key []ddb.KeySchemaElement, p *ddb.Projection, global bool) store.OutsideIndex {
	x := store.OutsideIndex{Outside: d.outside(name, key)}
	if x.Eventual = global; p != nil {
		x.All, x.Columns = p.ProjectionType == ddb.ProjectionTypeAll, p.NonKeyAttributes
	}
	return x
}

// Sample implements store.Outsider. An attribute is of the type that it has most often.
func (s *Store) Sample(ctx context.Context, table string, most int) ([]store.Attribute, error) {
	seen := map[string]map[types.OID]int{}
	in := &dynamodb.ScanInput{TableName: &table}
	for most > 0 {
		if err := s.check(ctx); err != nil {
			return nil, err
		}
		in.Limit = aws.Int32(int32(most))
		page, err := s.client.Scan(ctx, in)
		if err != nil {
			return nil, outsideError(&store.Outside{Table: table}, err)
		}
		for _, attributes := range page.Items {
			for name, a := range attributes {
				if seen[name] == nil {
					seen[name] = map[types.OID]int{}
				}
				seen[name][typeOf(a).OID]++
			}
		}
		if most -= len(page.Items); len(page.LastEvaluatedKey) == 0 ||
			reflect.DeepEqual(in.ExclusiveStartKey, page.LastEvaluatedKey) {
			break
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
	var out []store.Attribute
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		out = append(out, store.Attribute{Name: name, Type: mostOften(seen[name])})
	}
	return out, nil
}

// mostOften is the type that was seen most often; of as many, the one that holds more. What is
// NULL says nothing, and alone may become a text.
func mostOften(seen map[types.OID]int) types.T {
	delete(seen, 0)
	best := types.OIDText
	for _, oid := range []types.OID{types.OIDJSONB, types.OIDText, types.OIDNumeric, types.OIDBytea, types.OIDBool} {
		if seen[oid] > seen[best] {
			best = oid
		}
	}
	for _, oid := range slices.Sorted(maps.Keys(seen)) {
		if seen[oid] > seen[best] {
			best = oid
		}
	}
	return types.Of(best)
}

// typeOf is the type of a column for an attribute, the zero one where it does not show.
func typeOf(a ddb.AttributeValue) types.T {
	array := func(of types.T) types.T {
		t, _ := types.ArrayOf(of)
		return t
	}
	switch a.(type) {
	case *ddb.AttributeValueMemberS:
		return types.Text
	case *ddb.AttributeValueMemberN:
		return types.Numeric
	case *ddb.AttributeValueMemberB:
		return types.Bytea
	case *ddb.AttributeValueMemberBOOL:
		return types.Bool
	case *ddb.AttributeValueMemberM, *ddb.AttributeValueMemberL:
		return types.JSONB
	case *ddb.AttributeValueMemberSS:
		return array(types.Text)
	case *ddb.AttributeValueMemberNS:
		return array(types.Numeric)
	case *ddb.AttributeValueMemberBS:
		return array(types.Bytea)
	}
	return types.T{}
}
