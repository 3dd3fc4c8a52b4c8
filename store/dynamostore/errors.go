package dynamostore

import (
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"zproxy/sqlerr"
	"zproxy/store"
)

// errGarbage is an answer that no DynamoDB gives of tables that no other program writes to.
var errGarbage = sqlerr.New(sqlerr.DataCorrupted, "DynamoDB's answer is invalid")

// garbage says what makes no sense of the answer about a table. It hides the error itself, whose
// code is that of a client's mistake.
func garbage(table string, err error) error {
	return errGarbage.WithDetail("Table \"%s\": %v.", table, err)
}

// notTaken says that DynamoDB does not take a request for one.
func notTaken(err error) bool {
	var of smithy.APIError
	return errors.As(err, &of) &&
		slices.Contains([]string{"ValidationException", "SerializationException"}, of.ErrorCode())
}

// misread is garbage in the place of the error of a request for a key that an answer had, if DynamoDB does not take it
// for one.
func misread(table string, err error) error {
	if notTaken(err) {
		return garbage(table, errors.New("an item has no key of the table"))
	}
	return err
}

// readError makes the error of the contract of a read that failed.
func readError(table string, err error) error {
	var gone *ddb.ResourceNotFoundException
	var unread *smithy.DeserializationError
	switch {
	case errors.As(err, &gone):
		return fmt.Errorf("dynamodb: table %s: %w: %w", table, store.ErrGone, err)
	case errors.As(err, &unread) && judge(err) == final:
		return garbage(table, unread)
	}
	return fmt.Errorf("dynamodb: %w", err)
}

// conflicted says that a write was refused by its guard or by another transaction.
func conflicted(err error) bool {
	var failed *ddb.ConditionalCheckFailedException
	var other *ddb.TransactionConflictException
	return errors.As(err, &failed) || errors.As(err, &other) ||
		cancelled(err, "ConditionalCheckFailed", "TransactionConflict")
}

// writeError makes the error of the contract of a write that is no row of a commit, as of an intent or a record: a
// conflict where another transaction was at the item all the time.
func writeError(err error) error {
	var other *ddb.TransactionConflictException
	if errors.As(err, &other) {
		return fmt.Errorf("dynamodb: %w: %w", store.ErrConflict, err)
	}
	return fmt.Errorf("dynamodb: %w", err)
}

// cancelled says that a transaction was refused for one of some reasons.
func cancelled(err error, codes ...string) bool {
	var cancel *ddb.TransactionCanceledException
	return errors.As(err, &cancel) && slices.ContainsFunc(cancel.CancellationReasons,
		func(r ddb.CancellationReason) bool {
			return slices.Contains(codes, aws.ToString(r.Code))
		})
}
