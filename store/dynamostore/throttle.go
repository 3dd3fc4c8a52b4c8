package dynamostore

import (
	"errors"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// target is what a request is about: an item, or as far as that is known, a partition or a table.
type target struct {
	table string
	key   item
}

// partition is the partition key, nil when that is not known.
func (t *target) partition() []byte {
	part, err := decodeKeyPart(t.key, partitionAttribute)
	if err != nil {
		return nil
	}
	return part
}

// targets are what a request is about, those of a transaction in its order.
func targets(input any) (list []target) {
	add := func(table *string, key item) { list = append(list, target{aws.ToString(table), key}) }
	switch in := input.(type) {
	case *dynamodb.PutItemInput:
		add(in.TableName, in.Item)
	case *dynamodb.DeleteItemInput:
		add(in.TableName, in.Key)
	case *dynamodb.UpdateItemInput:
		add(in.TableName, in.Key)
	case *dynamodb.GetItemInput:
		add(in.TableName, in.Key)
	case *dynamodb.QueryInput:
		key := item{partitionAttribute: in.ExpressionAttributeValues[":pk"]}
		if in.IndexName != nil { // which is not the partition of the table
			key = nil
		}
		add(in.TableName, key)
	case *dynamodb.ScanInput:
		add(in.TableName, nil)
	case *dynamodb.CreateTableInput:
		add(in.TableName, nil)
	case *dynamodb.DeleteTableInput:
		add(in.TableName, nil)
	case *dynamodb.BatchGetItemInput:
		for table, ask := range in.RequestItems {
			for _, key := range ask.Keys {
				add(&table, key)
			}
		}
	case *dynamodb.BatchWriteItemInput:
		for table, writes := range in.RequestItems {
			for _, w := range writes {
				if w.PutRequest != nil {
					add(&table, w.PutRequest.Item)
				} else {
					add(&table, w.DeleteRequest.Key)
				}
			}
		}
	case *dynamodb.TransactWriteItemsInput:
		for _, w := range in.TransactItems {
			switch {
			case w.Put != nil:
				add(w.Put.TableName, w.Put.Item)
			case w.Update != nil:
				add(w.Update.TableName, w.Update.Key)
			case w.ConditionCheck != nil:
				add(w.ConditionCheck.TableName, w.ConditionCheck.Key)
			default:
				add(w.Delete.TableName, w.Delete.Key)
			}
		}
	}
	return list
}

// writes says whether a request writes items.
func writes(input any) bool {
	switch input.(type) {
	case *dynamodb.PutItemInput, *dynamodb.DeleteItemInput, *dynamodb.UpdateItemInput, *dynamodb.BatchWriteItemInput,
		*dynamodb.TransactWriteItemsInput:
		return true
	}
	return false
}

// reasonOfThrottle is why a request was refused for the load, and for which of its targets. Of
// several reasons a key range is told rather than others: that is what users can do something about.
func reasonOfThrottle(input any, err error) (reason string, at []target) {
	at = targets(input)
	var cancel *ddb.TransactionCanceledException
	if errors.As(err, &cancel) {
		for i, r := range cancel.CancellationReasons {
			if code := aws.ToString(r.Code); slices.Contains(throttleCodes(), code) && i < len(at) {
				return hotter(code, aws.ToString(r.Message)), at[i : i+1]
			}
		}
	}
	var e smithy.APIError
	if errors.As(err, &e) {
		reason = hotter(e.ErrorCode(), e.ErrorMessage())
	}
	reasons := throttlingReasons(err)
	if len(reasons) == 0 {
		return reason, at
	}
	r := reasons[max(0, slices.IndexFunc(reasons,
		func(r ddb.ThrottlingReason) bool { return isHot(aws.ToString(r.Reason)) }))]
	if in := slices.DeleteFunc(slices.Clone(at),
		func(t target) bool { return tableOf(r.Resource) != t.table }); len(in) > 0 {
		at = in
	}
	return aws.ToString(r.Reason), at
}

// throttlingReasons are those that DynamoDB gives.
func throttlingReasons(err error) []ddb.ThrottlingReason {
	var (
		provisioned *ddb.ProvisionedThroughputExceededException
		throttling  *ddb.ThrottlingException
		limit       *ddb.RequestLimitExceeded
	)
	switch {
	case errors.As(err, &provisioned):
		return provisioned.ThrottlingReasons
	case errors.As(err, &throttling):
		return throttling.ThrottlingReasons
	case errors.As(err, &limit):
		return limit.ThrottlingReasons
	}
	return nil
}

// tableOf is the table of a resource's name: arn:aws:dynamodb:region:account:table/name, perhaps
// with /index/name behind it.
func tableOf(resource *string) string {
	_, rest, _ := strings.Cut(aws.ToString(resource), ":table/")
	table, _, _ := strings.Cut(rest, "/")
	return table
}

// keyRange is what DynamoDB calls the part of a table that one machine keeps.
const keyRange = "KeyRange"

// isHot says of a reason that it is about a part of a table, not about all of it.
func isHot(reason string) bool { return strings.Contains(reason, keyRange) }

// isOfAccount says of a reason that it is about all tables of the account together.
func isOfAccount(reason string) bool {
	return strings.HasSuffix(reason, "AccountLimitExceeded") || reason == "RequestLimitExceeded"
}

// hotter is a code, or a reason that the message has in its words.
func hotter(code, message string) string {
	if at := strings.Index(message, keyRange); at >= 0 {
		start := strings.LastIndexAny(message[:at], " :(\"'") + 1
		end := strings.IndexAny(message[at:], " ,.;:)\"'")
		if end < 0 {
			return message[start:]
		}
		return message[start : at+end]
	}
	return code
}
