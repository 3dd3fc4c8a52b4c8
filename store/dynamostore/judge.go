package dynamostore

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// errNotSent means that an attempt was not made.
var errNotSent = errors.New("the request was not sent")

// verdict is what an error of an attempt means for the next one.
type verdict uint8

const (
	final     verdict = iota // another attempt would end the same way
	throttled                // refused for the load
	failing                  // DynamoDB or the way to it failed
	running                  // the transaction of an earlier attempt has not ended
	contended                // another transaction writes the same items
)

// judge says what an error means, such as that an attempt took too long.
func judge(err error) verdict {
	var (
		inProgress *ddb.TransactionInProgressException
		other      *ddb.TransactionConflictException
		cancel     *ddb.TransactionCanceledException
	)
	switch {
	case errors.As(err, &inProgress):
		return running
	case errors.As(err, &other):
		return contended
	case errors.As(err, &cancel):
		return judgeCancel(cancel)
	case isThrottle(err):
		return throttled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary:
		return failing
	}
	return final
}

// throttleCodes are the codes of items for which a transaction is cancelled for the load.
func throttleCodes() []string {
	return []string{"ThrottlingError", "ProvisionedThroughputExceeded", "RequestLimitExceeded"}
}

// judgeCancel finds the worst among the reasons for which a transaction was cancelled.
func judgeCancel(cancel *ddb.TransactionCanceledException) verdict {
	v := final
	for _, r := range cancel.CancellationReasons {
		switch code := aws.ToString(r.Code); {
		case code == "None" || code == "":
		case slices.Contains(throttleCodes(), code):
			v = throttled
		case code == "TransactionConflict":
			if v == final {
				v = contended
			}
		default:
			return final
		}
	}
	return v
}

// isThrottle says that a request was refused for the load.
func isThrottle(err error) bool {
	var e smithy.APIError
	if !errors.As(err, &e) {
		return false
	}
	_, known := retry.DefaultThrottleErrorCodes[e.ErrorCode()]
	return known
}

// refused says that a request that failed was surely not carried out: it never left, or
// the service says that it was at fault. Others may have been, or may be later.
func refused(err error) bool {
	if errors.Is(err, errNotSent) {
		return true
	}
	var inProgress *ddb.TransactionInProgressException
	if errors.As(err, &inProgress) {
		return false
	}
	if status := statusOf(err); status != 0 {
		return status >= http.StatusBadRequest && status < http.StatusInternalServerError
	}
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

// statusOf is the HTTP status of the answer that an error is about, 0 when there was none.
func statusOf(err error) int {
	var answer interface{ HTTPStatusCode() int }
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode()
	}
	return 0
}
