package dynamostore

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
	"zproxy/types"
)

// expiryAttribute holds when DynamoDB may remove an item, in seconds since 1970. Another rule by
// which items expire has a name of its own, with the rule's number behind.
const expiryAttribute = "_t"

// expiryName is the attribute of a rule, empty if nothing expires.
func expiryName(d *store.Expiry) string {
	switch {
	case d == nil:
		return ""
	case d.Number == 0:
		return expiryAttribute
	}
	return expiryAttribute + strconv.FormatUint(uint64(d.Number), 10)
}

// addExpiry tells DynamoDB when it may remove an item, if it ever may.
func addExpiry(s *store.Space, values []types.Value, to item) {
	d := s.Expiry
	if d == nil || d.Column == store.NoColumn {
		return
	}
	if at, ever := expiresAt(values[d.Column], d.After, time.Now()); ever {
		to[expiryName(d)] = &ddb.AttributeValueMemberN{Value: strconv.FormatInt(at, 10)}
	}
}

// expiresAt is when an item with a value expires, rounded up, so that it is gone for everybody before
// DynamoDB removes it. What has expired already expires now: DynamoDB never removes what expired more than
// five years ago. What expires when no timestamp is late enough never does.
func expiresAt(v types.Value, after int64, now time.Time) (seconds int64, ever bool) {
	var from int64 // microseconds since 2000, as all of this; infinity is the highest value of its kind
	switch {
	case v.IsNull():
		return 0, false
	case v.Kind() != types.KindDate:
		from = v.Micros()
	case int64(v.Days()) > math.MaxInt64/microsPerDay:
		return 0, false
	case int64(v.Days()) < math.MinInt64/microsPerDay:
		from = math.MinInt64
	default:
		from = int64(v.Days()) * microsPerDay
	}
	if from > math.MaxInt64-max(after, 0) || from == math.MaxInt64 {
		return 0, false
	}
	at := max(from+after, types.TimestampAt(now).Micros())
	return year2000 + (at+999_999)/1_000_000, true
}

const (
	microsPerDay = 24 * 3600 * 1_000_000
	year2000     = 946_684_800 // in seconds since 1970
)

// How long a change of what is removed may take until the statement fails, and how often we ask.
const (
	maxExpiryWait = 20 * time.Second
	expiryPoll    = 500 * time.Millisecond
)

// expire makes DynamoDB remove what has expired by the rule of a space, and nothing that had expired by
// another one. Ending a rule takes DynamoDB up to an hour, and so long it may go on to remove items.
func (s *Store) expire(ctx context.Context, sp *store.Space) error {
	want := expiryName(sp.Expiry)
	now, err := s.expiry(ctx, sp)
	if err != nil {
		return err
	}
	if removes(now) == want && now.TimeToLiveStatus != ddb.TimeToLiveStatusDisabling {
		return nil
	}
	if have := removes(now); have != "" {
		if err := s.setExpiry(ctx, sp, have, false); err != nil {
			return err
		}
	}
	if err := s.awaitNoExpiry(ctx, sp); err != nil || want == "" {
		return err
	}
	return s.setExpiry(ctx, sp, want, true)
}

// removes is the attribute by which DynamoDB removes items, empty if it removes none.
func removes(d *ddb.TimeToLiveDescription) string {
	if d.TimeToLiveStatus == ddb.TimeToLiveStatusEnabled || d.TimeToLiveStatus == ddb.TimeToLiveStatusEnabling {
		return aws.ToString(d.AttributeName)
	}
	return ""
}

func (s *Store) expiry(ctx context.Context, sp *store.Space) (*ddb.TimeToLiveDescription, error) {
	out, err := s.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(s.table(sp))})
	switch {
	case err != nil:
		return nil, refusal(sp, err)
	case out.TimeToLiveDescription == nil:
		return &ddb.TimeToLiveDescription{TimeToLiveStatus: ddb.TimeToLiveStatusDisabled}, nil
	}
	return out.TimeToLiveDescription, nil
}

// setExpiry makes DynamoDB remove items by an attribute, or no more. What it refuses may have been done
// by an attempt whose answer was lost.
func (s *Store) setExpiry(ctx context.Context, sp *store.Space, attribute string, on bool) error {
	_, err := s.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(s.table(sp)),
		TimeToLiveSpecification: &ddb.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &on},
	})
	if err == nil {
		return nil
	}
	want := ""
	if on {
		want = attribute
	}
	if now, unknown := s.expiry(ctx, sp); unknown == nil && removes(now) == want {
		return nil
	}
	return refusal(sp, err)
}

// awaitNoExpiry waits until DynamoDB removes nothing any more.
func (s *Store) awaitNoExpiry(ctx context.Context, sp *store.Space) error {
	for began := time.Now(); ; {
		now, err := s.expiry(ctx, sp)
		if err != nil || now.TimeToLiveStatus == ddb.TimeToLiveStatusDisabled {
			return err
		}
		if time.Since(began) > maxExpiryWait {
			return fmt.Errorf("dynamodb: %w", &store.Refused{Space: sp.Name,
				Reason: "DynamoDB is still ending to remove rows by the former ttl, which may take an hour; run the statement again later"})
		}
		if err := store.Sleep(ctx, expiryPoll); err != nil {
			return err
		}
	}
}
