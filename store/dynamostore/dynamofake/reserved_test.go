package dynamofake

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/store/dynamostore/dynamolocal"
)

// TestReservedWords asks both services for words that the fake knows as reserved, and for some
// that are words of SQL and not reserved.
func TestReservedWords(t *testing.T) {
	source, err := os.ReadFile("expression/reserved.go")
	if err != nil {
		t.Fatal(err)
	}
	words := regexp.MustCompile(`\b[A-Z]{2,}\b`).FindAllString(string(source), -1)
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = append(words[:60], "ID", "PK", "SK", "BODY", "X", "MONEY", "ILIKE", "SIBLINGS", "XML", "DISCARD")
	endpoint, f := dynamolocal.Start(t), New(Options{}).Client("")
	const table = `{"TableName": "reserved", "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
		"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}`
	verdict := func(answer *http.Response, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		var e struct{ Message string }
		if err := json.NewDecoder(answer.Body).Decode(&e); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(e.Message, "reserved keyword")
	}
	verdict(http.DefaultClient.Do(newHTTPRequest(t, endpoint, "CreateTable", table)))
	verdict(f.Do(newHTTPRequest(t, "http://fake/", "CreateTable", table)))
	for _, w := range words {
		body := fmt.Sprintf(`{"TableName": "reserved", "Key": {"pk": {"S": "p"}}, "ProjectionExpression": "%s"}`,
			strings.ToLower(w))
		local := verdict(http.DefaultClient.Do(newHTTPRequest(t, endpoint, "GetItem", body)))
		fake := verdict(f.Do(newHTTPRequest(t, "http://fake/", "GetItem", body)))
		if local != fake {
			t.Errorf("%s: Local says %v, the fake %v", w, local, fake)
		}
	}
}
