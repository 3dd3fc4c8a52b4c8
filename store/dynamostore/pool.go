package dynamostore

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// defaultRequests is how many requests run at once: enough to keep many partitions busy, of
// which each serves thousands a second, and few enough to keep a connection open for each.
const defaultRequests = 512

// How long connecting may take, and how long a connection is kept that is not used: less than
// DynamoDB keeps it, so that no request meets one that is just being closed.
const (
	dialTime = 5 * time.Second
	idleTime = 50 * time.Second
)

func (o *Options) requests() int { return cmp.Or(o.Requests, defaultRequests) }

// pool is a client with a connection for each of some requests. One that is closed between
// requests is paid for by a TLS handshake.
func (s *Store) pool(size int) *awshttp.BuildableClient {
	dialer := awshttp.NewBuildableClient().WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTime })
	return dialer.WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConns, t.MaxIdleConnsPerHost, t.MaxConnsPerHost = size, size, size
		t.IdleConnTimeout, t.TLSHandshakeTimeout = idleTime, dialTime
		dial := t.DialContext
		t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			s.connections.Add(1)
			return &counted{Conn: c, open: &s.connections}, nil
		}
	})
}

// counted is a connection that is counted while it is open.
type counted struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

// Close implements net.Conn.
func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}
