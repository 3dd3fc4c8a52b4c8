package anomaly

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestCheck prints what histories have. Each line is a transaction: its number, its level, whether it was
// committed, and its operations. It began when the line before it had, and ended after the last one began, unless
// it says "ended".
//
//	1 serializable: r x [1 2]; a x 3
//	2 committed aborted: p y []; p x gone; d x [1]; below y 2
//
// r reads, p reads by a predicate, a appends, d deletes.
func TestCheck(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for _, a := range Check(parse(t, d.Input)) {
				verdict := "forbidden"
				if a.Allowed {
					verdict = "allowed"
				}
				first, _, _ := strings.Cut(a.Text, "\n")
				fmt.Fprintf(&out, "%s, %s: %s\n", a.Kind, verdict, first)
			}
			if out.Len() == 0 {
				return "nothing\n"
			}
			return out.String()
		})
	})
}

var levels = map[string]Level{"committed": ReadCommitted, "stable": StableRows, "repeatable": RepeatableRead,
	"serializable": Serializable}

func parse(t *testing.T, text string) (out []*Transaction) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		head, ops, _ := strings.Cut(line, ":")
		x := &Transaction{Began: int64(10 * i), Ended: int64(10 * len(lines))}
		for n, word := range strings.Fields(head) {
			switch {
			case n == 0:
				x.ID, _ = strconv.Atoi(word)
			case n == 1:
				x.Level = levels[word]
			case word == "aborted":
				x.Outcome = Aborted
			case word == "unknown":
				x.Outcome = Unknown
			case word == "ended":
				x.Ended = x.Began + 1
			}
		}
		for _, op := range strings.Split(ops, ";") {
			x.Ops = append(x.Ops, parseOp(t, strings.TrimSpace(op)))
		}
		out = append(out, x)
	}
	return out
}

func parseOp(t *testing.T, text string) (o Op) {
	t.Helper()
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(text))
	if len(words) < 2 {
		t.Fatalf("what is %q", text)
	}
	o.Key = words[1]
	for _, word := range words[2:] {
		n, err := strconv.Atoi(word)
		switch {
		case word == "gone":
			o.Gone = true
		case err != nil:
			t.Fatal(err)
		case words[0] == "a" || words[0] == "below":
			o.Value = n
		default:
			o.List = append(o.List, n)
		}
	}
	switch words[0] {
	case "r":
	case "p":
		o.Predicate = true
	case "a":
		o.Action = Append
	case "d":
		o.Action = Delete
	case "below":
		o.Action, o.Predicate = Below, true
	default:
		t.Fatalf("what is %q", text)
	}
	return o
}

// TestReport wants a report to show what its transactions did.
func TestReport(t *testing.T) {
	found := Check(parse(t, "1 serializable: p x []; below x 1; a y 1\n2 serializable: r y []; p z gone; a x 1\n"+
		"3 committed: r x [1]; r y [1]\n4 committed: d z []"))
	want := "T1 -rw x-> T2 -rw y-> T1\n" +
		"T1, serializable: read x []; read x of fewer than 1; append 1 to y\n" +
		"T2, serializable: read y []; read z deleted; append 1 to x"
	if len(found) != 1 || found[0].Text != want || len(Forbidden(found)) != 1 {
		t.Errorf("%+v", found)
	}
}
