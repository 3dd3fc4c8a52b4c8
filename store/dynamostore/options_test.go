package dynamostore

import (
	"strings"
	"testing"
)

// TestOptions wants mistakes found before the first request.
func TestOptions(t *testing.T) {
	t.Setenv("AWS_REGION", "")
	t.Setenv("AWS_DEFAULT_REGION", "")
	t.Setenv("AWS_PROFILE", "")
	t.Setenv("AWS_CONFIG_FILE", "/nowhere")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Region: "eu-west-1", TablePrefix: "a.b"}, `table prefix "a.b" is not 1 to 32 of`},
		{Options{Region: "eu-west-1", TablePrefix: strings.Repeat("x", 33)}, "is not 1 to 32 of"},
		{Options{Region: "eu-west-1", TablePrefix: "müll"}, "is not 1 to 32 of"},
		{Options{Region: "eu-west-1", Endpoint: "localhost:8000"}, `endpoint "localhost:8000" is not a URL such as`},
		{Options{Region: "eu-west-1", Endpoint: "http://"}, "is not a URL such as"},
		{Options{Region: "eu-west-1", Endpoint: "ftp://host"}, "is not a URL such as"},
		{Options{Region: "eu-west-1", Endpoint: "https://me:secret@host"}, "the endpoint has a user in it"},
		{Options{}, "no region is set"},
		{Options{Endpoint: "http://elsewhere:8000"}, "no region is set"},
	} {
		if _, err := Open(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	for endpoint, want := range map[string]bool{"": false, "http://127.0.0.1:1": false, "http://[::1]:1": false,
		"http://localhost:1": false, "https://host": false, "http://host": true} {
		if o := (Options{Endpoint: endpoint}); o.InClear() != want {
			t.Errorf("%q: in clear %v", endpoint, !want)
		}
	}
}
