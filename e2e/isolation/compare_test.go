package isolation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// verdict is what came of a permutation on zproxy, compared with PostgreSQL.
type verdict struct {
	class  class
	reason string // why it is not the same, in a few words
}

// class is better when it is larger.
type class int

const (
	unknown     class = iota // not played
	unsupported              // a statement of it is refused
	different
	same
)

var classes = []string{"unknown", "unsupported", "different", "same"}

func (c class) String() string { return classes[c] }

// refusals are the codes of errors for what zproxy does not have: features, syntax, functions, settings. They count as
// refusals where PostgreSQL's answer to the same step is not the same error.
const refusals = " 0A000 42601 42883 42704 "

// hangs is the reason of a permutation that was given up.
const hangs = "hangs"

// judge compares what zproxy did with what PostgreSQL did.
func judge(s *spec, want, got transcript) verdict {
	if r := refused(want, got); r != "" {
		return verdict{unsupported, r}
	}
	messages := ""
	for i, g := range got.Events {
		if g.What == hung {
			return verdict{different, hangs}
		}
		if i == len(want.Events) {
			return verdict{different, "goes on"}
		}
		if d := differs(s, want.Events[i], g); d != "" {
			return verdict{different, d}
		}
		if messages == "" {
			messages = otherMessages(want.Events[i], g)
		}
	}
	switch {
	case len(got.Events) < len(want.Events):
		return verdict{different, "ends early"}
	case messages != "":
		return verdict{different, messages}
	}
	return verdict{class: same}
}

// refused is what zproxy refuses and PostgreSQL does not; any error before the steps counts.
func refused(want, got transcript) string {
	errors := map[string]bool{} // by step and code
	for _, e := range want.Events {
		for _, a := range e.Answers {
			errors[e.Step+" "+a.Code] = a.Code != ""
		}
	}
	for _, e := range got.Events {
		for _, a := range e.Answers {
			prepares := e.What == setup && strings.HasPrefix(e.Step, "setup")
			if a.Code != "" && (prepares || strings.Contains(refusals, " "+a.Code+" ")) && !errors[e.Step+" "+a.Code] {
				return a.Code + " " + a.Message
			}
		}
	}
	return ""
}

// otherMessages says which notice or notification is the first that only one of two events has. That is named where
// nothing else is different.
func otherMessages(want, got event) string {
	for _, pair := range [][2][]string{{want.Notices, got.Notices}, {want.Notifications, got.Notifications}} {
		for i := range max(len(pair[0]), len(pair[1])) {
			switch {
			case i == len(pair[0]):
				return "more messages: " + pair[1][i]
			case i == len(pair[1]) || pair[0][i] != pair[1][i]:
				return "no message: " + pair[0][i]
			}
		}
	}
	return ""
}

// differs says what is different in an event, but for messages.
func differs(s *spec, want, got event) string {
	switch {
	case want.Step == got.Step && want.What == waiting && got.What == completed:
		return "does not wait"
	case want.Step == got.Step && want.What == completed && got.What == waiting:
		return "waits"
	case want.Step != got.Step || want.What != got.What:
		return "steps complete in another order"
	}
	st, _ := s.find(want.Step)
	keepOrder := strings.Contains(strings.ToLower(st.sql), "order by")
	for i := range max(len(want.Answers), len(got.Answers)) {
		if d := differsIn(at(want.Answers, i), at(got.Answers, i), keepOrder); d != "" {
			return d
		}
	}
	return ""
}

func at(answers []answer, i int) answer {
	if i < len(answers) {
		return answers[i]
	}
	return answer{}
}

func differsIn(want, got answer, keepOrder bool) string {
	if !keepOrder {
		want, got = want.unordered(), got.unordered()
	}
	switch {
	case want.Code == "" && got.Code != "":
		return got.Code + " instead of an answer"
	case want.Code != "" && got.Code == "":
		return "no " + want.Code
	case want.Code != got.Code:
		return fmt.Sprintf("%s instead of %s", got.Code, want.Code)
	case want.Message != got.Message:
		return "other message of " + want.Code
	case !slices.Equal(want.Columns, got.Columns):
		return "other columns"
	case !slices.EqualFunc(want.Rows, got.Rows, slices.Equal):
		return "other rows"
	case want.Tag != got.Tag:
		return "other tag"
	}
	return ""
}

// TestJudge compares transcripts. In a script each has a line for each event: the step, what it is, and then answers
// between semicolons: an error's code and message after "!", a notice after "?", a notification after "@", else rows
// between slashes.
func TestJudge(t *testing.T) {
	const text = `
		session a step a1 { SELECT 1 } step sorted { SELECT 1 ORDER BY 1 }
		session b step b1 { SELECT 1 }`
	s, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	datadriven.RunTest(t, "testdata/judge", func(t *testing.T, d *datadriven.TestData) string {
		want, got, _ := strings.Cut(d.Input, "\nzproxy\n")
		v := judge(s, readTranscript(want), readTranscript(got))
		return strings.TrimSpace(v.class.String() + ": " + v.reason)
	})
}

func readTranscript(text string) (out transcript) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		e := event{Step: fields[0], What: what(fields[1])}
		if len(fields) == 3 {
			for _, one := range strings.Split(fields[2], "; ") {
				switch one[0] {
				case '?':
					e.Notices = append(e.Notices, one[1:])
				case '@':
					e.Notifications = append(e.Notifications, one[1:])
				default:
					e.Answers = append(e.Answers, readAnswerLine(one))
				}
			}
		}
		out.Events = append(out.Events, e)
	}
	return out
}

func readAnswerLine(text string) answer {
	if code, message, ok := strings.Cut(strings.TrimPrefix(text, "!"), " "); text[0] == '!' && ok {
		return answer{Code: code, Message: message}
	}
	a := answer{Columns: []string{"a"}, Tag: "SELECT"}
	for _, row := range strings.Split(text, "/") {
		a.Rows = append(a.Rows, []string{row})
	}
	return a
}
