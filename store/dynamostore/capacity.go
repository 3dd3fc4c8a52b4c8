package dynamostore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// unbounded takes away a bound on what is paid for by request.
const unbounded = -1

// throughput is a capacity as DynamoDB takes it for a table that has none yet.
func throughput(c store.Capacity) (ddb.BillingMode, *ddb.ProvisionedThroughput, *ddb.OnDemandThroughput) {
	if c.Provisioned() {
		return ddb.BillingModeProvisioned,
			&ddb.ProvisionedThroughput{ReadCapacityUnits: &c.ReadUnits, WriteCapacityUnits: &c.WriteUnits}, nil
	}
	if c.MostReadUnits == 0 && c.MostWriteUnits == 0 {
		return ddb.BillingModePayPerRequest, nil, nil
	}
	return ddb.BillingModePayPerRequest, nil, &ddb.OnDemandThroughput{
		MaxReadRequestUnits: boundTo(0, c.MostReadUnits), MaxWriteRequestUnits: boundTo(0, c.MostWriteUnits),
	}
}

// boundTo makes one bound another one; 0 is none.
func boundTo(from, to int64) *int64 {
	switch {
	case to > 0:
		return &to
	case from > 0:
		return aws.Int64(unbounded)
	}
	return nil
}

// warm is what a table is to be ready for, nil if that was not said.
func warm(c store.Capacity) *ddb.WarmThroughput {
	w := &ddb.WarmThroughput{}
	if c.WarmReadUnits > 0 {
		w.ReadUnitsPerSecond = &c.WarmReadUnits
	}
	if c.WarmWriteUnits > 0 {
		w.WriteUnitsPerSecond = &c.WarmWriteUnits
	}
	if *w == (ddb.WarmThroughput{}) {
		return nil
	}
	return w
}

// AlterSpace implements store.SpaceAlterer. What is so already is not asked for, which would be an error.
func (s *Store) AlterSpace(ctx context.Context, sp *store.Space) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if secondary(sp) {
		return &store.Refused{Space: sp.Name, Reason: "the capacity of an index of DynamoDB is set when it is created"}
	}
	table := s.table(sp)
	now, err := s.waitForTable(ctx, table)
	if err != nil {
		return err
	}
	changes := retune(now, sp.Capacity)
	for i, in := range changes {
		in.TableName = &table
		_, no := s.client.UpdateTable(ctx, in)
		now, err := s.waitForTable(ctx, table)
		switch {
		case no != nil && (err != nil || len(retune(now, sp.Capacity)) >= len(changes)-i):
			return refusal(sp, no)
		case err != nil:
			return err
		}
		// What is refused, and is so nevertheless, was done by an attempt whose answer was lost.
	}
	return s.expire(ctx, sp)
}

// retune are the changes that make a table have a capacity: DynamoDB takes how it is paid and
// what it is ready for one after the other.
func retune(now *ddb.TableDescription, c store.Capacity) []*dynamodb.UpdateTableInput {
	var out []*dynamodb.UpdateTableInput
	if in := repay(now, c); in != nil {
		out = append(out, in)
	}
	if class := classOf(c); class != classNow(now) {
		out = append(out, &dynamodb.UpdateTableInput{TableClass: class})
	}
	if w := warm(c); w != nil && colder(now.WarmThroughput, c) {
		out = append(out, &dynamodb.UpdateTableInput{WarmThroughput: w})
	}
	return out
}

// classOf is the class of storage of a table.
func classOf(c store.Capacity) ddb.TableClass {
	if c.Infrequent {
		return ddb.TableClassStandardInfrequentAccess
	}
	return ddb.TableClassStandard
}

// classNow is the class of storage that a table has; DynamoDB says nothing of the usual one.
func classNow(t *ddb.TableDescription) ddb.TableClass {
	if t.TableClassSummary == nil || t.TableClassSummary.TableClass == "" {
		return ddb.TableClassStandard
	}
	return t.TableClassSummary.TableClass
}

// repay is the change of how a table is paid, nil if it is none.
func repay(now *ddb.TableDescription, c store.Capacity) *dynamodb.UpdateTableInput {
	provisioned := now.BillingModeSummary == nil || now.BillingModeSummary.BillingMode != ddb.BillingModePayPerRequest
	in := &dynamodb.UpdateTableInput{}
	if c.Provisioned() {
		p := now.ProvisionedThroughput
		if provisioned && p != nil && aws.ToInt64(p.ReadCapacityUnits) == c.ReadUnits &&
			aws.ToInt64(p.WriteCapacityUnits) == c.WriteUnits {
			return nil
		}
		in.BillingMode, in.ProvisionedThroughput, _ = throughput(c)
		return in
	}
	var read, write int64
	if o := now.OnDemandThroughput; o != nil && !provisioned {
		read, write = max(aws.ToInt64(o.MaxReadRequestUnits), 0), max(aws.ToInt64(o.MaxWriteRequestUnits), 0)
	}
	if read != c.MostReadUnits || write != c.MostWriteUnits {
		in.OnDemandThroughput = &ddb.OnDemandThroughput{
			MaxReadRequestUnits: boundTo(read, c.MostReadUnits), MaxWriteRequestUnits: boundTo(write, c.MostWriteUnits),
		}
	} else if !provisioned {
		return nil
	}
	in.BillingMode = ddb.BillingModePayPerRequest
	return in
}

// colder says whether a table is ready for less than is wanted. DynamoDB makes none ready for less.
func colder(now *ddb.TableWarmThroughputDescription, c store.Capacity) bool {
	return now == nil || aws.ToInt64(now.ReadUnitsPerSecond) < c.WarmReadUnits ||
		aws.ToInt64(now.WriteUnitsPerSecond) < c.WarmWriteUnits
}

// refusal makes the error of a table that DynamoDB does not make or change as it is asked to. One that it refused for
// the load is another matter.
func refusal(sp *store.Space, err error) error {
	var api interface {
		ErrorCode() string
		ErrorMessage() string
	}
	if errors.As(err, &api) && refused(err) && judge(err) == final && !errors.As(err, new(*store.Denied)) {
		return fmt.Errorf("dynamodb: %w: %w",
			&store.Refused{Space: sp.Name, Reason: api.ErrorCode() + ": " + api.ErrorMessage()}, err)
	}
	return fmt.Errorf("dynamodb: %w", err)
}
