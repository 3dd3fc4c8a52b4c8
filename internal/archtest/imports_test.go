package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// document holds the tables that say who may import whom.
const document = "ARCHITECTURE.md"

// rule is a row of one of the tables.
type rule struct {
	names  []string // packages: those that it may import, or those that may import it
	tests  bool     // of a module: any test may import it
	anyone bool     // of a module
}

// The tables, by what stands over their first column.
const (
	packageTable = "package"
	moduleTable  = "module"
)

var quoted = regexp.MustCompile("`([^`]+)`")

// rules reads the tables: by the name of the table, then by the first cell of the row.
func (t *tree) rules() (map[string]map[string]rule, error) {
	text, err := fs.ReadFile(t.root, document)
	if err != nil {
		return nil, err
	}
	tables := map[string]map[string]rule{packageTable: {}, moduleTable: {}}
	var table map[string]rule
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			table = nil
			continue
		}
		first, last := strings.TrimSpace(cells[1]), cells[3]
		if header, ok := tables[first]; ok {
			table = header
		}
		if name := quoted.FindStringSubmatch(first); name != nil && table != nil {
			r := rule{tests: strings.Contains(last, "tests"), anyone: strings.Contains(last, "anyone")}
			for _, m := range quoted.FindAllStringSubmatch(last, -1) {
				r.names = append(r.names, m[1])
			}
			table[name[1]] = r
		}
	}
	return tables, nil
}

// checkImports holds the tree against the tables. Tests are free to import any package
// of the project: they may drive the whole pipeline.
func checkImports(t *tree) []string {
	tables, err := t.rules()
	if err != nil {
		return []string{err.Error()}
	}
	packages, modules := tables[packageTable], tables[moduleTable]
	var out []string
	used := map[string]bool{}
	for p, f := range t.files() {
		for _, spec := range f.syntax.Imports {
			target, _ := strconv.Unquote(spec.Path.Value)
			ok := true
			if inside, found := strings.CutPrefix(target, module); found {
				ok = f.test || slices.Contains(packages[p.path].names, inside)
			} else if domain, _, _ := strings.Cut(target, "/"); strings.Contains(domain, ".") {
				name := moduleOf(target, modules)
				used[name] = true
				ok = modules[name].allows(p, f)
			}
			if !ok {
				out = append(out, t.problem(spec.Pos(), "%s may not import %s", p.path, target))
			}
		}
	}
	return slices.Concat(out, t.unmatched(packages, modules, used), cycles(packages))
}

// moduleOf is the module of the table that a package belongs to; empty when none is.
func moduleOf(target string, modules map[string]rule) string {
	for name := range modules {
		if target == name || strings.HasPrefix(target, name+"/") {
			return name
		}
	}
	return ""
}

func (r rule) allows(p *folder, f *file) bool {
	return r.anyone || slices.Contains(r.names, p.path) || r.tests && p.forTests(f)
}

// unmatched finds packages that have no row, and names in the tables that the tree does
// not have.
func (t *tree) unmatched(packages, modules map[string]rule, used map[string]bool) []string {
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(t.packages)) {
		if _, ok := packages[dir]; !ok {
			out = append(out, fmt.Sprintf("%s: package %s has no row", document, dir))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if t.packages[name] == nil {
			out = append(out, fmt.Sprintf("%s: row %s has no package", document, name))
		}
		for _, target := range packages[name].names {
			if _, ok := packages[target]; !ok {
				out = append(out, fmt.Sprintf("%s: %s may import %s, which has no row", document, name, target))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		if !used[name] {
			out = append(out, fmt.Sprintf("%s: nobody imports %s", document, name))
		}
	}
	return out
}

// cycles finds packages that may import themselves by way of others.
func cycles(packages map[string]rule) []string {
	var out []string
	done := map[string]bool{}
	var visit func(name string, trail []string)
	visit = func(name string, trail []string) {
		if at := slices.Index(trail, name); at >= 0 {
			out = append(out, fmt.Sprintf("%s: cycle %s", document, strings.Join(append(trail[at:], name), " -> ")))
			return
		}
		if !done[name] {
			for _, target := range packages[name].names {
				visit(target, append(slices.Clone(trail), name))
			}
		}
		done[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		visit(name, nil)
	}
	return out
}

// environment are the functions of package os that read what a process is started with.
var environment = []string{"Args", "Getenv", "LookupEnv", "Environ", "ExpandEnv"}

// checkEnvironment wants flags and the environment to be read by programs only; tests
// take flags too.
func checkEnvironment(t *tree) []string {
	var out []string
	for p, f := range t.files() {
		if p.name == "main" || p.forTests(f) {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			from := f.imports[x.Name]
			if from == "flag" || from == "os" && slices.Contains(environment, s.Sel.Name) {
				out = append(out, t.problem(s.Pos(), "%s.%s outside a program", x.Name, s.Sel.Name))
			}
			return true
		})
	}
	return out
}
