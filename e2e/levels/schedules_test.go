package levels

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/anomaly"
)

const (
	schedulesFolder   = "testdata/schedules"
	differencesFolder = "testdata/differences"
)

// TestPostgresSchedules plays schedules at each level on PostgreSQL, whose answers stand in the scripts. The
// commands:
//
//	setup     runs statements, after dropping all tables
//	schedule  prints what the statements of sessions answer, one after the other, and which have to wait
//
// A line of a schedule is "1: UPDATE ...", the number of the session and a statement, or "1 through: UPDATE ..." for
// one of which only the end is of interest. At the end of a schedule all sessions are rolled back. A schedule that is
// "weaker" is not played at serializable, where PostgreSQL refuses it for no anomaly that there is.
func TestPostgresSchedules(t *testing.T) {
	url := postgres.start(t)[0]
	datadriven.Walk(t, schedulesFolder, func(t *testing.T, path string) {
		s := &script{t: t, url: url}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "setup" {
				s.setup = d.Input
				return ""
			}
			var answers []string
			for _, l := range levelsOf(d) {
				answers = append(answers, s.play(l, d.Input))
			}
			return sections(answers)
		})
	})
}

// levelsOf are those at which a schedule is played.
func levelsOf(d *datadriven.TestData) []anomaly.Level {
	if d.HasArg("weaker") {
		return levels[:2]
	}
	return levels
}

// sections puts a heading over what is answered at one level, or at several.
func sections(answers []string) string {
	var out strings.Builder
	for i, text := range answers {
		if i == 0 || text != answers[i-1] {
			out.WriteString(headingOf(answers, i) + "\n" + text)
		}
	}
	return out.String()
}

// headingOf names the levels that have the answer of one of them.
func headingOf(answers []string, i int) string {
	names := []string{levels[i].String()}
	for j := i + 1; j < len(answers) && answers[j] == answers[i]; j++ {
		names = append(names, levels[j].String())
	}
	return "-- " + strings.Join(names, ", ")
}

// TestSchedules plays the same on zproxy, and compares. Where it answers otherwise, its own answer stands in a file
// of testdata/differences, which -rewrite writes; a good change makes these files shorter.
func TestSchedules(t *testing.T) {
	for _, s := range zproxies {
		t.Run(s.name, func(t *testing.T) {
			url := s.start(t)[0]
			var out strings.Builder
			datadriven.Walk(t, schedulesFolder, func(t *testing.T, path string) {
				x := &script{t: t, url: url, differs: true}
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					if d.Cmd == "setup" {
						x.setup = d.Input
						return d.Expected
					}
					out.WriteString(x.differences(filepath.Base(path), d))
					return d.Expected
				})
			})
			compare(t, filepath.Join(differencesFolder, s.differs), out.String())
		})
	}
}

// differences are the answers to a schedule at those levels at which PostgreSQL has others.
func (s *script) differences(name string, d *datadriven.TestData) string {
	var out strings.Builder
	title, _, _ := strings.Cut(d.Input, "\n")
	for _, l := range levelsOf(d) {
		if got := s.play(l, d.Input); got != answerAt(l, d.Expected) {
			fmt.Fprintf(&out, "%s, %s, %s\n%s\n", name, strings.TrimPrefix(title, "-- "), l, got)
		}
	}
	return out.String()
}

// answerAt is the part of the answers that is of a level.
func answerAt(l anomaly.Level, expected string) string {
	for part := range strings.SplitSeq("\n"+expected, "\n-- ") {
		names, text, _ := strings.Cut(part, "\n")
		for name := range strings.SplitSeq(names, ", ") {
			if name == l.String() {
				return strings.TrimSuffix(text, "\n") + "\n"
			}
		}
	}
	return ""
}

// compare holds a text against a file, or writes it with -rewrite.
func compare(t *testing.T, path, got string) {
	t.Helper()
	if flag.Lookup("rewrite").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(want), "\n\n"), strings.Split(got, "\n\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("the answers are no longer those of %s: write them with -rewrite, and judge what has changed.\n"+
				"The first is\n%s\nand was\n%s", path, b[i], a[i])
			return
		}
	}
	if len(a) != len(b) {
		t.Errorf("%s has %d answers, and there are %d", path, len(a), len(b))
	}
}
