package dynamofake

import (
	"bytes"
	"context"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// Client is a client of a Fake without sockets: an aws.HTTPClient for the SDK. What happens to
// one client does not depend on what others do.
type Client struct {
	fake *Fake
	name string
}

// Client gives the client of a name, by which hooks tell it from others.
func (f *Fake) Client(name string) *Client { return &Client{fake: f, name: name} }

// Do answers a request. It gives up when the request's context ends, though the request may
// still be carried out.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	if err := ctx.Err(); err != nil {
		return nil, c.failed(r, err)
	}
	a, err := c.wait(ctx, action(r), body)
	switch {
	case err != nil:
		return nil, c.failed(r, err)
	case a.cut:
		return nil, c.failed(r, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET})
	}
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header(a), Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: r,
	}, nil
}

// wait serves a request. Only a hook can block, so only then a goroutine must wait for the context.
func (c *Client) wait(ctx context.Context, op string, body []byte) (answer, error) {
	if c.fake.options.Before == nil && c.fake.options.After == nil {
		return c.fake.serve(c.name, op, body), nil
	}
	done := make(chan answer, 1)
	go func() { done <- c.fake.serve(c.name, op, body) }()
	select {
	case a := <-done:
		return a, nil
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
}

// failed is the error of a request without an answer, as an http.Client makes it.
func (c *Client) failed(r *http.Request, err error) error {
	return &url.Error{Op: "Post", URL: r.URL.String(), Err: err}
}

func readBody(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer func() { _ = r.Body.Close() }()
	return io.ReadAll(r.Body)
}

// action is the operation of a request.
func action(r *http.Request) string {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return op
}

func header(a answer) http.Header {
	return http.Header{
		"Content-Type":   {"application/x-amz-json-1.0"},
		"Content-Length": {strconv.Itoa(len(a.body))},
		"X-Amz-Crc32":    {strconv.FormatUint(uint64(crc32.ChecksumIEEE(a.body)), 10)},
	}
}

// Endpoint is the URL of the account on this machine; the first call opens a port. A path
// behind it is the name of a client, as Client has it.
func (f *Fake) Endpoint() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listener == nil {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", err
		}
		f.listener = l
		f.server = &http.Server{Handler: http.HandlerFunc(f.handle)}
		go func() { _ = f.server.Serve(l) }()
	}
	return "http://" + f.listener.Addr().String(), nil
}

// handle answers a request over HTTP.
func (f *Fake) handle(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		return
	}
	a := f.serve(strings.Trim(r.URL.Path, "/"), action(r), body)
	if a.cut {
		panic(http.ErrAbortHandler)
	}
	for name, value := range header(a) {
		w.Header()[name] = value
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// Close ends the server, if there is one.
func (f *Fake) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.server == nil {
		return nil
	}
	return f.server.Close()
}
