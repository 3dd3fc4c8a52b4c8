package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// How long a table may take to be made or removed, and how often we ask.
const (
	maxTableWait = 10 * time.Minute
	minTablePoll = 200 * time.Millisecond
	maxTablePoll = 5 * time.Second
	// maxUnknown is how long a table may be unknown that was just made: what describes tables lags behind.
	maxUnknown = 30 * time.Second
)

var tableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// table is the name of a space's table. The prefix has no dot, so the tables of another
// prefix are never taken for ours.
func (s *Store) table(sp *store.Space) string {
	if secondary(sp) {
		return s.table(&store.Space{ID: sp.Base, Name: sp.BaseName})
	}
	return s.prefix + "." + sp.HomeName() + "." + strconv.FormatUint(uint64(sp.Home()), 10)
}

// space undoes table. It says false for a table that is not ours.
func (s *Store) space(table string) (store.Space, bool) {
	rest, ok := strings.CutPrefix(table, s.prefix+".")
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 1 {
		return store.Space{}, false
	}
	id, err := strconv.ParseUint(rest[dot+1:], 10, 64)
	sp := store.Space{ID: store.SpaceID(id), Name: rest[:dot]}
	return sp, err == nil && s.table(&sp) == table
}

// spaceName is the name of the space that a table keeps, or of the table if it is not ours.
func (s *Store) spaceName(table string) string {
	if sp, ours := s.space(table); ours {
		return sp.Name
	}
	return table
}

// Create implements store.Store. It waits until the table can be used.
func (s *Store) Create(ctx context.Context, sp *store.Space) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if secondary(sp) {
		return secondaries{s}.create(ctx, sp)
	}
	table := s.table(sp)
	if !tableName.MatchString(table) {
		return fmt.Errorf("dynamodb: table name %q is not 3 to 255 of A-Z, a-z, 0-9, '_', '-' and '.'", table)
	}
	in := &dynamodb.CreateTableInput{TableName: &table}
	in.BillingMode, in.ProvisionedThroughput, in.OnDemandThroughput = throughput(sp.Capacity)
	in.WarmThroughput = warm(sp.Capacity)
	if sp.Capacity.Infrequent {
		in.TableClass = classOf(sp.Capacity)
	}
	partition, sort := keyTypes(sp)
	addKey(in, partitionAttribute, ddb.KeyTypeHash, partition)
	if sp.Sorted {
		addKey(in, sortAttribute, ddb.KeyTypeRange, sort)
	}
	_, err := s.client.CreateTable(ctx, in)
	var exists *ddb.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		return refusal(sp, err)
	}
	if _, err := s.waitForTable(ctx, table); err != nil || sp.Expiry == nil {
		return err
	}
	return s.expire(ctx, sp)
}

func addKey(in *dynamodb.CreateTableInput, name string, role ddb.KeyType, t ddb.ScalarAttributeType) {
	in.KeySchema = append(in.KeySchema, ddb.KeySchemaElement{AttributeName: &name, KeyType: role})
	in.AttributeDefinitions = append(in.AttributeDefinitions,
		ddb.AttributeDefinition{AttributeName: &name, AttributeType: t})
}

// waitForTable waits until a table can be used and changed, and says how it is kept.
func (s *Store) waitForTable(ctx context.Context, table string) (*ddb.TableDescription, error) {
	began := time.Now()
	for wait := minTablePoll; ; wait = min(2*wait, maxTablePoll) {
		if err := s.check(ctx); err != nil {
			return nil, err
		}
		out, err := s.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		var unknown *ddb.ResourceNotFoundException
		switch took := time.Since(began); {
		case errors.As(err, &unknown) && took < maxUnknown:
		case err != nil:
			return nil, readError(table, err)
		case out.Table == nil:
			return nil, garbage(table, errNoDescription)
		case out.Table.TableStatus == ddb.TableStatusActive:
			return out.Table, nil
		case out.Table.TableStatus == ddb.TableStatusDeleting:
			return nil, fmt.Errorf("dynamodb: table %s: %w", table, store.ErrGone)
		case took > maxTableWait:
			return nil, fmt.Errorf("dynamodb: table %s is still %s after %v: %w", table, out.Table.TableStatus, took,
				store.ErrUnreachable)
		}
		if err := store.Sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

var errNoDescription = errors.New("its description is missing")

// Drop implements store.Store. It waits until the table is gone, for which it asks DeleteTable again:
// that refuses a table that is being made, changed or already removed, and is the only one to know
// for sure, since what describes tables may lag behind.
func (s *Store) Drop(ctx context.Context, sp *store.Space) error {
	if secondary(sp) {
		return secondaries{s}.drop(ctx, sp)
	}
	table := s.table(sp)
	return untilGone(ctx, s, "table "+table, func() error {
		_, err := s.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table})
		return err
	})
}

// untilGone asks again and again to remove a table or an index, since DynamoDB refuses that while it works at a table.
func untilGone(ctx context.Context, s *Store, what string, ask func() error) error {
	until := time.Now().Add(maxTableWait)
	for wait := time.Duration(0); ; wait = min(max(2*wait, minTablePoll), maxTablePoll) {
		if err := s.check(ctx); err != nil {
			return err
		}
		err := ask()
		var gone *ddb.ResourceNotFoundException
		var busy *ddb.ResourceInUseException
		switch {
		case errors.As(err, &gone):
			return nil
		case err != nil && !errors.As(err, &busy):
			return fmt.Errorf("dynamodb: %w", err)
		case time.Now().After(until):
			return fmt.Errorf("dynamodb: %s is still there after %v: %w", what, maxTableWait, store.ErrUnreachable)
		}
		if err := store.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// Spaces implements store.Store. Tables that are not ours are passed over.
func (s *Store) Spaces(ctx context.Context) ([]store.Space, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	var spaces []store.Space
	pages := dynamodb.NewListTablesPaginator(s.client, &dynamodb.ListTablesInput{Limit: aws.Int32(100)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("dynamodb: %w", err)
		}
		for _, table := range page.TableNames {
			if sp, ok := s.space(table); ok {
				spaces = append(spaces, sp)
			}
		}
	}
	return spaces, nil
}
