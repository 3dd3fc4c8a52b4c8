package dynamostore

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// How requests that failed are repeated. The SDK's own delays are of seconds, far more
// than DynamoDB needs to answer again.
const (
	maxAttempts = 8
	baseDelay   = 25 * time.Millisecond
	maxDelay    = time.Second
)

// maxIdleConnections is how many connections stay open between requests: as many as
// requests run at once, else a TLS handshake is paid for each.
const maxIdleConnections = 256

func newRetryer() *retry.Standard {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
			return delay(attempt), nil
		})
	})
}

// delay is exponential backoff with full jitter, after an attempt counted from 0.
func delay(attempt int) time.Duration {
	most := maxDelay
	if attempt < 16 {
		most = min(most, baseDelay<<attempt)
	}
	return rand.N(most) + 1
}

// patience waits between batches of which parts were not processed, and ends.
type patience struct{ idle int }

// after is called when left of before parts remain. Only a batch that got nowhere, which
// means throttling, makes us wait.
func (p *patience) after(ctx context.Context, before, left int) error {
	if left < before {
		p.idle = 0
		return nil
	}
	if p.idle++; p.idle == maxAttempts {
		return errThrottled
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(delay(p.idle)):
		return nil
	}
}

// newClient connects with the SDK's default chain of credentials and settings.
func newClient(ctx context.Context, o *Options, retryer aws.Retryer) (*dynamodb.Client, error) {
	local := isLoopback(o.Endpoint)
	set := []func(*config.LoadOptions) error{
		config.WithRetryer(func() aws.Retryer { return retryer }),
		config.WithHTTPClient(awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
			t.MaxIdleConns, t.MaxIdleConnsPerHost = maxIdleConnections, maxIdleConnections
		})),
	}
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
		return nil, errors.New("dynamodb: no region is set")
	}
	return dynamodb.NewFromConfig(c, func(co *dynamodb.Options) {
		// The SDK closes the body after it has used it: a wrong checksum is only logged,
		// and so is one that DynamoDB Local did not send.
		co.DisableValidateResponseChecksum = true
		if o.Endpoint != "" {
			co.BaseEndpoint = aws.String(o.Endpoint)
		}
		if o.HTTPClient != nil {
			co.HTTPClient = o.HTTPClient
		}
	}), nil
}

// localDefaults lets DynamoDB Local run without any setting: it wants a region and
// signed requests, but checks neither. Only a loopback endpoint gets them, so that a
// machine without credentials never sends requests signed with a known secret abroad.
func localDefaults(ctx context.Context, c *aws.Config) {
	if c.Region == "" {
		c.Region = "local"
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

// witness sees the attempts at one write, to know at its end whether one of them may
// have been carried out though its answer was lost.
type witness struct {
	aws.RetryerV2
	lost bool
}

// watch makes an option of one request.
func (w *witness) watch(o *dynamodb.Options) { o.Retryer = w }

// RetryDelay is called after each failed attempt but the last.
func (w *witness) RetryDelay(attempt int, err error) (time.Duration, error) {
	w.lost = w.lost || !refused(err)
	return w.RetryerV2.RetryDelay(attempt, err)
}
