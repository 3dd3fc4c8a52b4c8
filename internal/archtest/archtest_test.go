package archtest

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cockroachdb/datadriven"
)

// check finds what is wrong with a tree.
type check struct {
	name string
	run  func(*tree) []string
}

var checks = []check{
	{"imports", checkImports},
	{"environment", checkEnvironment},
	{"groups", checkGroups},
	{"sizes", checkSizes},
	{"types", checkTypes},
	{"width", checkWidth},
	{"names", checkNames},
	{"docs", checkDocs},
	{"introductions", checkIntroductions},
	{"how to", checkHowTo},
	{"state", checkState},
	{"life", checkLife},
	{"goroutines", checkGoroutines},
	{"deletions", checkDeletions},
	{"seeds", checkSeeds},
	{"words", checkWords},
	{"self-contained", checkSelfContained},
}

// TestProject runs every check on the project itself.
func TestProject(t *testing.T) {
	project, err := load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			for _, problem := range c.run(project) {
				t.Error(problem)
			}
		})
	}
}

// TestChecks runs the checks on small trees that break the rules. A script names a
// check, gives the files of a tree, each under a line "-- path --", and records what the
// check finds. Sizes are held against limits that fit a script.
func TestChecks(t *testing.T) {
	small := limits{function: 3, file: 12, parameters: 2, methods: 1}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			broken, err := load(script(d.Input))
			if err != nil {
				return err.Error()
			}
			for _, c := range checks {
				switch {
				case strings.ReplaceAll(c.name, " ", "-") != d.Cmd:
				case c.name == "sizes":
					return strings.Join(broken.over(small), "\n")
				case c.name == "width":
					return strings.Join(broken.wide(map[string]int{"kept": 1}), "\n")
				case c.name == "names":
					return strings.Join(broken.exceedsNames(2, map[string]int{"kept": 3, "gone": 1}), "\n")
				case c.name == "types":
					return strings.Join(broken.broad(breadth{2, 2}, smallExceptions), "\n")
				default:
					return strings.Join(c.run(broken), "\n")
				}
			}
			d.Fatalf(t, "there is no check %q", d.Cmd)
			return ""
		})
	})
}

// smallExceptions are those of the script of types.
var smallExceptions = map[string]breadth{"a.kept": {fields: 3}, "a.exempt": {fields: 4}, "a.gone": {methods: 3}}

// TestSelfContained stands here because a script would name what must not be named.
func TestSelfContained(t *testing.T) {
	for _, folder := range elsewhere {
		broken := &tree{root: script("-- a/README.md --\nsee " + folder + "/x\n-- b --\nfine")}
		if found := checkSelfContained(broken); len(found) != 1 {
			t.Errorf("%s: %q", folder, found)
		}
	}
}

// script makes a file system of the text of a script.
func script(text string) fstest.MapFS {
	out := fstest.MapFS{}
	var current *fstest.MapFile
	for line := range strings.Lines(text + "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- "); ok {
			current = &fstest.MapFile{}
			out[name] = current
		} else {
			current.Data = append(current.Data, line...)
		}
	}
	return out
}
