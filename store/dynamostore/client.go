package dynamostore

import (
	"context"
	"errors"
	"net"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// connect makes the store's client, with the SDK's default chain of credentials and settings.
func (s *Store) connect(ctx context.Context, o *Options) (*dynamodb.Client, error) {
	local := isLoopback(o.Endpoint)
	set := []func(*config.LoadOptions) error{config.WithHTTPClient(s.pool(o.requests()))}
	if o.Region != "" {
		set = append(set, config.WithRegion(o.Region))
	}
	if local {
		set = append(set, config.WithEC2IMDSClientEnableState(imds.ClientDisabled))
	}
	c, err := config.LoadDefaultConfig(ctx, set...)
	if err != nil {
		return nil, err
	}
	if local {
		localDefaults(ctx, &c)
	}
	if c.Region == "" {
		return nil, errors.New("no region is set: give --region, or AWS_REGION in the environment")
	}
	return dynamodb.NewFromConfig(c, func(co *dynamodb.Options) {
		// The SDK closes the body after it has used it: a wrong checksum is only logged,
		// and so is one that DynamoDB Local did not send.
		co.DisableValidateResponseChecksum = true
		co.Retryer = aws.NopRetryer{}
		co.APIOptions = append(co.APIOptions, s.caller.register)
		if o.Endpoint != "" {
			co.BaseEndpoint = aws.String(o.Endpoint)
		}
		if o.HTTPClient != nil {
			co.HTTPClient = o.HTTPClient
		}
	}), nil
}

// localRegion is a region that the SDK knows by name: for one that it does not, it compiles regular expressions
// anew for each request, which took a quarter of all time.
const localRegion = "us-east-1"

// localDefaults lets DynamoDB Local run without any setting: it wants a region and
// signed requests, but checks neither. Only a loopback endpoint gets them, so that a
// machine without credentials never sends requests signed with a known secret abroad.
func localDefaults(ctx context.Context, c *aws.Config) {
	if c.Region == "" {
		c.Region = localRegion
	}
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		c.Credentials = credentials.NewStaticCredentialsProvider("local", "local", "")
	}
}

// isLoopback says whether an endpoint is on this machine.
func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
