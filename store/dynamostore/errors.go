package dynamostore

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// errThrottled means that DynamoDB answered again and again that it is too busy.
var errThrottled = errors.New("dynamodb: too many requests, none of the last was served")

// refused says that a request that failed was surely not carried out: it never left, or
// the service says that it was at fault.
func refused(err error) bool {
	var running *ddb.TransactionInProgressException
	if errors.As(err, &running) {
		return false
	}
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		status := answer.HTTPStatusCode()
		return status >= http.StatusBadRequest && status < http.StatusInternalServerError
	}
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

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

// commitError makes the error of the contract. lost says that an earlier attempt may
// have been carried out.
func commitError(err error, lost bool) error {
	switch {
	case err == nil:
		return nil
	case lost || !refused(err):
		return fmt.Errorf("dynamodb: %w: %w", store.ErrUnknown, err)
	case conflicted(err):
		return fmt.Errorf("dynamodb: %w: %w", store.ErrConflict, err)
	}
	return fmt.Errorf("dynamodb: %w", err)
}
