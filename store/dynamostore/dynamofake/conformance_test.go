package dynamofake

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"zproxy/store/dynamostore/dynamolocal"
)

// The cases are requests with their answers, which the fake and DynamoDB Local must give. A
// command is an operation, its input the body of the request, in which <x*100> is a hundred x
// and <<x%*3>> is x0,x1,x2. These are its arguments:
//
//	unordered       the items come in no order
//	local="why"     Local does otherwise than DynamoDB, and why that is known
//
// With -rewrite, TestLocal records what Local answers, and TestFake what the fake answers where
// Local does otherwise.

// TestFake runs the cases on the fake.
func TestFake(t *testing.T) {
	f := New(Options{})
	client := f.Client("")
	run(t, func(op, body string) (*http.Response, error) {
		return client.Do(newHTTPRequest(t, "http://fake/", op, body))
	}, false)
}

// TestLocal runs the cases on DynamoDB Local.
func TestLocal(t *testing.T) {
	endpoint := dynamolocal.Start(t)
	run(t, func(op, body string) (*http.Response, error) {
		return http.DefaultClient.Do(newHTTPRequest(t, endpoint, op, body))
	}, true)
}

func newHTTPRequest(t *testing.T, url, op, body string) *http.Request {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+op)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("Authorization",
		"AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0")
	return r
}

// run runs the cases of all files, each in an account without tables.
func run(t *testing.T, do func(op, body string) (*http.Response, error), local bool) {
	send := func(d *datadriven.TestData, op, body string) (status int, answer map[string]any) {
		r, err := do(op, body)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		defer func() { _ = r.Body.Close() }()
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		if err != nil {
			d.Fatalf(t, "%v: %s", err, text)
		}
		return r.StatusCode, answer
	}
	rewrite := flag.Lookup("rewrite").Value.String() == "true"
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		none := &datadriven.TestData{}
		_, list := send(none, "ListTables", "{}")
		for _, table := range list["TableNames"].([]any) {
			send(none, "DeleteTable", fmt.Sprintf(`{"TableName": %q}`, table))
		}
		var wrong []string
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			status, answer := send(d, d.Cmd, expand(d.Input))
			got := shown(status, answer, d.HasArg("unordered"))
			if d.Cmd == "UpdateTable" && status == http.StatusOK {
				awaitIndexes(d, t, func() map[string]any {
					name := answer["TableDescription"].(map[string]any)["TableName"]
					_, table := send(d, "DescribeTable", fmt.Sprintf(`{"TableName": %q}`, name))
					of, _ := table["Table"].(map[string]any) // Local fails now and then while it is at work
					return of
				})
			}
			truth := !local || !d.HasArg("local")
			switch same := got == d.Expected; {
			case rewrite && local != d.HasArg("local"):
				return got
			case truth && !same:
				wrong = append(wrong, fmt.Sprintf("%s: %s\n%s\ngives\n%s\nand should give\n%s", d.Pos, d.Cmd, d.Input,
					got, d.Expected))
			case !truth && same:
				wrong = append(wrong, d.Pos+": Local does the same")
			}
			return d.Expected
		})
		for _, w := range wrong { // datadriven ends at the first that it learns of
			t.Error(w)
		}
	})
}

// readyTimeout is how long the making or removing of an index may take.
const readyTimeout = time.Minute

// awaitIndexes waits until the indexes of a table are as they were asked to be, for which Local needs a second.
func awaitIndexes(d *datadriven.TestData, t *testing.T, describe func() map[string]any) {
	for deadline := time.Now().Add(readyTimeout); ; time.Sleep(50 * time.Millisecond) {
		table := describe()
		indexes, _ := table["GlobalSecondaryIndexes"].([]any)
		changing := func(x any) bool { return x.(map[string]any)["IndexStatus"] != "ACTIVE" }
		if table != nil && !slices.ContainsFunc(indexes, changing) {
			return
		}
		if time.Now().After(deadline) {
			d.Fatalf(t, "not ready after %v: %v", readyTimeout, indexes)
		}
	}
}

var (
	repeated = regexp.MustCompile(`<([^<>*]+)\*(\d+)>`)
	listed3  = regexp.MustCompile(`<<(.+?)\*(\d+)>>`)
)

// expand makes the body of a request.
func expand(input string) string {
	input = listed3.ReplaceAllStringFunc(input, func(s string) string {
		m := listed3.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(m[1], "%", strconv.Itoa(i))
		}
		return strings.Join(parts, ",")
	})
	return repeated.ReplaceAllStringFunc(input, func(s string) string {
		m := repeated.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
}

// unknown are members of answers that no two services have in common.
var unknown = []string{
	"TableId", "TableArn", "IndexArn", "CreationDateTime", "LatestStreamArn", "LastUpdateToPayPerRequestDateTime",
	"LastIncreaseDateTime", "LastDecreaseDateTime", "DeletionProtectionEnabled", "TableStatus", "IndexStatus", "NumberOfDecreasesToday",
}

// shown is an answer in the form in which it is compared.
func shown(status int, answer map[string]any, unordered bool) string {
	var out strings.Builder
	if status == http.StatusOK {
		out.WriteString("ok\n")
	} else {
		kind, _ := answer["__type"].(string)
		message := answer["message"]
		if message == nil {
			message = answer["Message"]
		}
		fmt.Fprintf(&out, "%s: %v\n", kind[strings.LastIndexByte(kind, '#')+1:], message)
		delete(answer, "__type")
		delete(answer, "message")
		delete(answer, "Message")
	}
	clean(answer)
	if unordered {
		if items, ok := answer["Items"].([]any); ok {
			sortByText(items)
		}
		delete(answer, "LastEvaluatedKey")
	}
	if responses, ok := answer["Responses"].(map[string]any); ok {
		for _, items := range responses {
			sortByText(items.([]any))
		}
	}
	for _, n := range slices.Sorted(mapsKeys(answer)) {
		fmt.Fprintf(&out, "%s: %.600s\n", n, inJSON(answer[n]))
	}
	return out.String()
}

func mapsKeys(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for n := range m {
			if !yield(n) {
				return
			}
		}
	}
}

func inJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSpace(b.String())
}

func sortByText(list []any) {
	slices.SortFunc(list, func(a, b any) int { return strings.Compare(inJSON(a), inJSON(b)) })
}

// unorderedLists are members of answers that are lists and have no order.
var unorderedLists = []string{"SS", "NS", "BS", "AttributeDefinitions", "GlobalSecondaryIndexes",
	"LocalSecondaryIndexes"}

// clean removes what services have in common with none, and orders sets.
func clean(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, making := v["Backfilling"]; making || v["IndexStatus"] == "DELETING" { // Local does not tell the size
			delete(v, "IndexSizeBytes")
			delete(v, "ItemCount")
		}
		if most, ok := v["OnDemandThroughput"].(map[string]any); ok && most["MaxReadRequestUnits"] == -1.0 &&
			most["MaxWriteRequestUnits"] == -1.0 { // what Local gives an index that UpdateTable makes: no limit
			delete(v, "OnDemandThroughput")
		}
		for _, n := range unknown {
			delete(v, n)
		}
		for n, m := range v {
			if list, ok := m.([]any); ok && slices.Contains(unorderedLists, n) {
				sortByText(list)
			}
			clean(m)
		}
	case []any:
		for _, m := range v {
			clean(m)
		}
	}
}
