package dynamostore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// calls are the calls of the client in the package's sources, and what the SDK calls for one.
var calls = regexp.MustCompile(`\.client\.([A-Z]\w+)\(|dynamodb\.New(ListTables)Paginator`)

// TestPolicy wants the policy in the docs to allow what the package asks for, and nothing else.
// Transactions are allowed by the actions of their parts.
func TestPolicy(t *testing.T) {
	asked, inspecting := map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		asked := asked
		if file == "inspect.go" { // reads tables of others, and none of ours
			asked = inspecting
		}
		for _, m := range calls.FindAllStringSubmatch(string(source), -1) {
			switch name := m[1] + m[2]; name {
			case "Options": // no request
			case "TransactWriteItems":
				asked["dynamodb:PutItem"], asked["dynamodb:DeleteItem"] = true, true
			case "TransactGetItems":
				asked["dynamodb:GetItem"] = true
			default:
				asked["dynamodb:"+name] = true
			}
		}
	}
	if hasConditionChecks(t, files) {
		asked["dynamodb:ConditionCheckItem"] = true
	}
	policies := policiesIn(t, "../../docs/dynamodb.md")
	if len(policies) != 2 {
		t.Fatalf("%d policies in the docs, want one for our tables and one for those of others", len(policies))
	}
	for action := range asked {
		if !slices.Contains(policies[0], action) {
			t.Errorf("the policy lacks %s", action)
		}
	}
	for _, action := range policies[0] {
		if !asked[action] {
			t.Errorf("the policy allows %s, which no request needs", action)
		}
	}
	for _, action := range policies[1] {
		if !asked[action] && !inspecting[action] {
			t.Errorf("the policy for tables of others allows %s, which no request needs", action)
		}
	}
	for action := range inspecting {
		if !slices.Contains(policies[1], action) {
			t.Errorf("the policy for tables of others lacks %s", action)
		}
	}
}

func hasConditionChecks(t *testing.T, files []string) bool {
	t.Helper()
	return slices.ContainsFunc(files, func(file string) bool {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return !strings.HasSuffix(file, "_test.go") && strings.Contains(string(source), "ddb.ConditionCheck{")
	})
}

// policiesIn are the actions of each policy in a page.
func policiesIn(t *testing.T, page string) (out [][]string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "```json\n") {
		if !strings.HasPrefix(block, "{") {
			continue
		}
		body, _, _ := strings.Cut(block, "```")
		var policy struct {
			Statement []struct{ Action []string }
		}
		if err := json.Unmarshal([]byte(body), &policy); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var actions []string
		for _, s := range policy.Statement {
			actions = append(actions, s.Action...)
		}
		out = append(out, actions)
	}
	return out
}
