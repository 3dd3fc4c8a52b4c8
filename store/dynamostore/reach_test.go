package dynamostore

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
)

// unreachable is a service that refuses connections.
type unreachable struct{}

func (unreachable) Do(r *http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// TestReach wants to be told within seconds what is wrong with how DynamoDB is to be reached.
func TestReach(t *testing.T) {
	answers := func(status int, body string) service {
		return func(string, []byte) (int, string, error) { return status, body, nil }
	}
	unknown := `{"__type":"com.amazon.coral.service#UnrecognizedClientException","message":"The security token is no good."}`
	for _, c := range []struct {
		name, endpoint string
		service        aws.HTTPClient
		want           string // part of the error; empty: none
	}{
		{"there", "http://127.0.0.1:1", dynamofake.New(dynamofake.Options{}).Client(""), ""},
		{"throttled", "http://127.0.0.1:1", answers(400, slow), ""},
		{"refused", "http://127.0.0.1:1", unreachable{}, "no DynamoDB answers at http://127.0.0.1:1, which --region and --endpoint choose: "},
		{"silent", "http://127.0.0.1:1", &hanging{}, "no DynamoDB answers at http://127.0.0.1:1"},
		{"another service", "http://127.0.0.1:1", answers(404, "<html>"), "no DynamoDB answers at http://127.0.0.1:1, which --region and"},
		{"failing", "http://127.0.0.1:1", answers(500, "{}"), "the store does not answer"},
		{"unknown", "http://127.0.0.1:1", answers(400, unknown), "AWS does not let these credentials in: UnrecognizedClientException: The security token is no good."},
		{"no rights", "http://127.0.0.1:1", denying("dynamodb:DescribeTable"), "AWS does not let these credentials in: dynamodb:DescribeTable on the table zproxy.reach is not allowed"},
		{"AWS", "", unreachable{}, "no DynamoDB answers at AWS in the region eu-west-1, which"},
		{"no credentials", "http://elsewhere:8000", unreachable{}, "no credentials are found, as in AWS_ACCESS_KEY_ID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range map[string]string{
				"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "", "AWS_CONFIG_FILE": "/nowhere",
				"AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_EC2_METADATA_DISABLED": "true", "AWS_WEB_IDENTITY_TOKEN_FILE": "",
				"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "",
			} {
				t.Setenv(name, value)
			}
			if c.endpoint == "" {
				t.Setenv("AWS_ACCESS_KEY_ID", "one")
				t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			}
			synctest.Test(t, func(t *testing.T) {
				s, err := Open(t.Context(), Options{Region: "eu-west-1", Endpoint: c.endpoint, HTTPClient: c.service})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				err = s.Reach(t.Context())
				if c.want == "" && err != nil || c.want != "" &&
					(err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%v, want %q", err, c.want)
				}
				if took := time.Since(began); took > 2*reachTime {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// denying is a client of an account in which it may do all but some actions.
func denying(actions ...string) *dynamofake.Client {
	return dynamofake.New(dynamofake.Options{Faults: deny(actions...)}).Client("")
}

func deny(actions ...string) dynamofake.Faults {
	return dynamofake.Faults{Deny: func(action,
		_ string) bool {
		return strings.Contains(strings.Join(actions, " "), action)
	}}
}

// TestDenied wants to be told which action on which table is not allowed, whatever asks for it, at once.
func TestDenied(t *testing.T) {
	f := dynamofake.New(dynamofake.Options{})
	s := openOn(t, f, "")
	if err := s.Create(t.Context(), items(1)); err != nil {
		t.Fatal(err)
	}
	commit := func(ctx context.Context, puts ...int) error {
		tx := begin(t, s)
		for _, n := range puts {
			if err := tx.Put(items(1), bodied(n), store.Absent); err != nil {
				return err
			}
		}
		return tx.Commit(ctx)
	}
	for _, c := range []struct {
		action, where string
		do            func(ctx context.Context) error
	}{
		{"dynamodb:GetItem", s.table(items(1)), func(ctx context.Context) error { return getOne(ctx, t, s) }},
		{"dynamodb:PutItem", s.table(items(1)), func(ctx context.Context) error { return commit(ctx, 1) }},
		{"dynamodb:PutItem", s.table(items(1)), func(ctx context.Context) error { return commit(ctx, 1, 2) }},
		{"dynamodb:CreateTable", s.table(items(2)), func(ctx context.Context) error { return s.Create(ctx, items(2)) }},
		{"dynamodb:DescribeTable", s.table(items(2)), func(ctx context.Context) error { return s.Create(ctx, items(2)) }},
		{"dynamodb:DeleteTable", s.table(items(1)), func(ctx context.Context) error { return s.Drop(ctx, items(1)) }},
		{"dynamodb:DescribeTable", s.table(items(1)), func(ctx context.Context) error { return s.AlterSpace(ctx, items(1)) }},
		{"dynamodb:ListTables", "", func(ctx context.Context) error { _, err := s.Spaces(ctx); return err }},
	} {
		f.SetFaults(deny(c.action))
		f.ForgetRequests()
		var d *store.Denied
		want, space := c.action+" is not allowed", ""
		if c.where != "" {
			want, space = c.action+" on the table "+c.where+" is not allowed", "items"
		}
		if err := c.do(t.Context()); !errors.As(err, &d) || d.Reason != want || d.Space != space ||
			errors.As(err, new(*store.Refused)) || errors.Is(err, store.ErrUnreachable) {
			t.Errorf("%s: %v, want %q of space %q", c.action, err, want, space)
		}
		for kind, n := range f.Requests() {
			if n.Failed > 1 {
				t.Errorf("%s: %v was asked %d times", c.action, kind, n.Requests)
			}
		}
	}
}

// TestExpired wants credentials that have expired told from rights that are missing: those who work by
// themselves wait for others.
func TestExpired(t *testing.T) {
	s := openFake(t, func(string, []byte) (int, string, error) {
		return 400, `{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token included in the request is expired"}`, nil
	})
	var d *store.Denied
	want := "ExpiredTokenException: The security token included in the request is expired"
	if err := getOne(t.Context(), t, s); !errors.As(err, &d) || d.Reason != want || d.Space != "" ||
		!errors.Is(err, store.ErrUnreachable) {
		t.Errorf("%v, want %s", err, want)
	}
}
