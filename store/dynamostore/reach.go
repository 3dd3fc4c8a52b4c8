package dynamostore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"zproxy/store"
)

// reachTime is how long Reach looks for credentials, and then for DynamoDB.
const reachTime = 5 * time.Second

// Region is the AWS region of the tables.
func (s *Store) Region() string { return s.client.Options().Region }

// Endpoint is the URL of DynamoDB, empty if it is that of AWS in the region.
func (s *Store) Endpoint() string { return aws.ToString(s.client.Options().BaseEndpoint) }

// Reach says within seconds what to do if there are no credentials, if they are not accepted, or if no server
// answers: all that a store which has worked before would wait for. It asks for a table that is not there.
func (s *Store) Reach(ctx context.Context) error {
	within, done := context.WithTimeout(ctx, reachTime)
	defer done()
	if _, err := s.client.Options().Credentials.Retrieve(within); err != nil {
		return fmt.Errorf("dynamodb: no credentials are found, as in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "+
			"in a profile of ~/.aws that AWS_PROFILE names, or in a role of this machine: %w", err)
	}
	within, done = context.WithTimeout(ctx, reachTime)
	defer done()
	_, err := s.client.DescribeTable(within, &dynamodb.DescribeTableInput{TableName: aws.String(s.prefix + ".reach")})
	var gone *ddb.ResourceNotFoundException
	var denied *store.Denied
	var sent *url.Error
	switch {
	case err == nil, errors.As(err, &gone), errors.Is(err, store.ErrBusy):
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &denied):
		return fmt.Errorf("dynamodb: AWS does not let these credentials in: %w", denied)
	case errors.As(err, &sent):
		err = sent.Err
	}
	return fmt.Errorf("dynamodb: no DynamoDB answers at %s, which --region and --endpoint choose: %w", s.where(), err)
}

// where is where DynamoDB is to be.
func (s *Store) where() string { return cmp.Or(s.Endpoint(), "AWS in the region "+s.Region()) }
