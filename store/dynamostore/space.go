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
)

var tableName = regexp.MustCompile(`^[A-Za-z0-9_.-]{3,255}$`)

// table is the name of a space's table. The prefix has no dot, so the tables of another
// prefix are never taken for ours.
func (s *Store) table(sp *store.Space) string {
	return s.prefix + "." + sp.Name + "." + strconv.FormatUint(uint64(sp.ID), 10)
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
	table := s.table(sp)
	if !tableName.MatchString(table) {
		return fmt.Errorf("dynamodb: table name %q is not 3 to 255 of A-Z, a-z, 0-9, '_', '-' and '.'", table)
	}
	in := &dynamodb.CreateTableInput{TableName: &table}
	in.BillingMode, in.ProvisionedThroughput, in.OnDemandThroughput = throughput(sp.Capacity)
	in.WarmThroughput = warm(sp.Capacity)
	addKey(in, partitionAttribute, ddb.KeyTypeHash)
	if sp.Sorted {
		addKey(in, sortAttribute, ddb.KeyTypeRange)
	}
	_, err := s.client.CreateTable(ctx, in)
	var exists *ddb.ResourceInUseException
	if err != nil && !errors.As(err, &exists) {
		return refusal(sp, err)
	}
	if err := s.waitForTable(ctx, table); err != nil || sp.Due == nil {
		return err
	}
	return s.expire(ctx, sp)
}

func addKey(in *dynamodb.CreateTableInput, name string, role ddb.KeyType) {
	in.KeySchema = append(in.KeySchema, ddb.KeySchemaElement{AttributeName: &name, KeyType: role})
	in.AttributeDefinitions = append(in.AttributeDefinitions,
		ddb.AttributeDefinition{AttributeName: &name, AttributeType: ddb.ScalarAttributeTypeB})
}

func (s *Store) waitForTable(ctx context.Context, table string) error {
	wait := dynamodb.NewTableExistsWaiter(s.client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = minTablePoll, maxTablePoll
	})
	if err := wait.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &table}, maxTableWait); err != nil {
		return fmt.Errorf("dynamodb: table %s: %w", table, err)
	}
	return nil
}

// Drop implements store.Store. It waits until the table is gone.
func (s *Store) Drop(ctx context.Context, sp *store.Space) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	table := s.table(sp)
	err := s.deleteTable(ctx, table)
	var busy *ddb.ResourceInUseException
	if errors.As(err, &busy) { // it is still being made
		if err := s.waitForTable(ctx, table); err != nil {
			return err
		}
		err = s.deleteTable(ctx, table)
	}
	var gone *ddb.ResourceNotFoundException
	if errors.As(err, &gone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("dynamodb: %w", err)
	}
	wait := dynamodb.NewTableNotExistsWaiter(s.client, func(o *dynamodb.TableNotExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = minTablePoll, maxTablePoll
	})
	if err := wait.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &table}, maxTableWait); err != nil {
		return fmt.Errorf("dynamodb: table %s: %w", table, err)
	}
	return nil
}

func (s *Store) deleteTable(ctx context.Context, table string) error {
	_, err := s.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &table})
	return err
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
