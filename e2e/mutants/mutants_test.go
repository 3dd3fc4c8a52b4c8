package mutants

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var mutantsFlag = flag.String("mutants", "", "build and run the mutants whose names match this expression")

// root is the folder of the module.
const root = "../.."

// mutant is a mistake, and who must find it.
type mutant struct {
	name, file string
	old, new   string   // new is in the place of old
	test       []string // the arguments of go test
}

const (
	references = "executor/references.go"
	parents    = "executor/parents.go"
	memory     = "store/memstore/commit.go"
)

var (
	writers = []string{"./e2e", "-run", "TestForeignKeysHold", "-rounds", "6"}
	faults  = []string{"./e2e/faults", "-run", "TestFaults", "-program", "kin", "-memory", "-runs", "200"}
)

// mutants are mistakes by which rows may lose their parents.
var mutants = []mutant{
	{"an action is not carried out", references, "_, err := f.env.References.Run(f.ctx, s)\n\treturn err",
		"_ = s\n\treturn nil", writers},
	{"an action is not carried out before power is lost", references,
		"_, err := f.env.References.Run(f.ctx, s)\n\treturn err", "_ = s\n\treturn nil",
		[]string{"./e2e", "-run", "TestLostPowerKeepsKeys"}},
	{"references are not looked for", references, "if err != nil || len(found) == 0 {\n\t\treturn err\n\t}\n\treturn f.still",
		"if true {\n\t\treturn err\n\t}\n\treturn f.still", writers},
	{"a parent is not locked", parents, "newest, v, err := p.lockRow(p.table, rowlock.Lock{Strength: rowlock.KeyShare}, row)",
		"newest, v, err := row, rowSame, error(nil)\n\t_ = rowlock.KeyShare", writers},
	{"a row that moves leaves its parent alone", references, "if (c.moves || !agree(c.old, c.new, primary)) && ",
		"if (c.moves && !c.moves || agree(c.new, nil, nil) && len(primary) < 0) && ",
		[]string{"./e2e", "-run", "TestMovedChildren"}},
	{"deferred checks are forgotten", "session/foreign_keys.go", "if err := s.checkOne(ctx, p); err != nil {",
		"if err := s.checkOne(ctx, p); err != nil && now == nil {", writers},
	{"later children are not looked for", "session/foreign_keys.go", "!k.Vacated || !fixed ||", "!k.Vacated || fixed ||",
		[]string{"./e2e", "-run", "TestLaterChildren"}},
	{"a commit does not see who holds what it writes", memory, "max(s.written[w.Key], s.held[w.Key]) <=", "s.written[w.Key] <=",
		faults},
	{"a commit that fails leaves a part of its writes", memory, "return loose, true, nil",
		"return append(loose, guarded...), true, nil", faults},
}

// lost is what is said of rows whose parents are missing.
var lost = regexp.MustCompile(`orphan: key|rows without a parent|NOT EXISTS \(SELECT`)

// TestMutants wants each text to be there once, and with -mutants each mistake to be found.
func TestMutants(t *testing.T) {
	asked := regexp.MustCompile(*mutantsFlag)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			file, err := filepath.Abs(filepath.Join(root, m.file))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), m.old); n != 1 {
				t.Fatalf("%s has %q %d times", m.file, m.old, n)
			}
			if *mutantsFlag != "" && asked.MatchString(m.name) {
				m.mustFail(t, file, strings.Replace(string(text), m.old, m.new, 1))
			}
		})
	}
}

// mustFail runs the tests with another text of a file, and wants them to find rows without parents.
func (m mutant) mustFail(t *testing.T, file, text string) {
	folder := t.TempDir()
	other, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {file: other}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{other: text, overlay: string(list)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"test", "-vet=off", "-overlay", overlay, "-count", "1"}, m.test...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	found := lost.FindString(string(out))
	if err == nil || found == "" {
		t.Fatalf("nothing finds it: %v\n%s", err, out)
	}
	t.Logf("found: %s", found)
}
