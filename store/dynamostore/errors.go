package dynamostore

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// conflicted says that a write was refused by its guard or by another transaction.
func conflicted(err error) bool {
	var failed *ddb.ConditionalCheckFailedException
	var other *ddb.TransactionConflictException
	return errors.As(err, &failed) || errors.As(err, &other) || cancelled(err, "ConditionalCheckFailed", "TransactionConflict")
}

// cancelled says that a transaction was refused for one of some reasons.
func cancelled(err error, codes ...string) bool {
	var cancel *ddb.TransactionCanceledException
	return errors.As(err, &cancel) && slices.ContainsFunc(cancel.CancellationReasons, func(r ddb.CancellationReason) bool {
		return slices.Contains(codes, aws.ToString(r.Code))
	})
}
