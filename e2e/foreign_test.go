package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/session"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamolocal"
)

// TestForeignTables plays scripts over tables that other programs own. Their command dynamodb sends
// DynamoDB the requests of an operation, one a line, and shows what GetItem answers; command asks psql.
func TestForeignTables(t *testing.T) {
	endpoint := dynamolocal.Start(t)
	datadriven.Walk(t, "testdata/foreign", func(t *testing.T, path string) {
		st, err := dynamostore.Open(t.Context(), dynamostore.Options{Endpoint: endpoint, TablePrefix: "foreign"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		served := serve(t, st, session.Options{Shared: true})
		p := newPlayer(t, served.url())
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "command":
				return askPsql(t, served.address, d)
			case "dynamodb":
				var out strings.Builder
				operation := d.CmdArgs[0].Key
				for request := range strings.Lines(d.Input) {
					answer, err := askDynamoDB(t, endpoint, operation, request)
					if err != nil {
						d.Fatalf(t, "%v", err)
					}
					if operation == "GetItem" {
						out.WriteString(sortedJSON(t, answer) + "\n")
					}
				}
				return out.String()
			}
			out, err := p.run(d)
			if err != nil && !strings.HasPrefix(d.Cmd, "error") && !d.HasArg("fails") {
				d.Fatalf(t, "%v\n%s", err, out)
			}
			return out
		})
	})
}

// askPsql feeds psql, where there is one.
func askPsql(t *testing.T, address string, d *datadriven.TestData) string {
	t.Helper()
	psql, err := exec.LookPath("psql")
	if err != nil {
		t.Logf("psql is not run: %v", err)
		return d.Expected
	}
	return runPsql(t, psql, address, d)
}

// askDynamoDB sends a request as any program may, not signed, which the emulator takes.
func askDynamoDB(t *testing.T, endpoint, operation, request string) ([]byte, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(request))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	r.Header.Set("Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=none")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", operation, bytes.TrimSpace(body))
	}
	return body, err
}

// sortedJSON is a document with the members of objects, and the elements of sets, in order.
func sortedJSON(t *testing.T, text []byte) string {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	sortSets(document)
	out, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func sortSets(document any) {
	object, _ := document.(map[string]any)
	for name, member := range object {
		set, ok := member.([]any)
		if ok && slices.Contains([]string{"SS", "NS", "BS"}, name) {
			slices.SortFunc(set, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			continue
		}
		for _, e := range set {
			sortSets(e)
		}
		sortSets(member)
	}
}
