package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// introduced is how many sentences introduce a package: what is here, what is not, what to read first.
const introduced = 3

var sentenceEnd = regexp.MustCompile(`[.!?](\s|$)`)

// checkIntroductions wants every package to be introduced, by its comment or by a README.
func checkIntroductions(t *tree) []string {
	most := map[string]int{}
	for p, f := range t.files() {
		most[p.path] = max(most[p.path], len(sentenceEnd.FindAllString(f.syntax.Doc.Text(), -1)))
	}
	var out []string
	for _, dir := range slices.Sorted(maps.Keys(most)) {
		if _, err := fs.Stat(t.root, path.Join(dir, "README.md")); err != nil && most[dir] < introduced {
			out = append(out, fmt.Sprintf("%s: no README, and a comment of %d sentences", dir, most[dir]))
		}
	}
	return out
}

// howTo is the page that says which files to touch for what.
const howTo = "docs/development.md"

// testInPage is the name of a test in the page.
var testInPage = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")

var pathInPage = regexp.MustCompile("`([a-z][a-z0-9_]*(?:/[A-Za-z0-9_.*-]+)+/?|[A-Z]+\\.md)`")

// checkHowTo wants the files, folders and tests that the page names to exist. The name of a file may be a pattern.
func checkHowTo(t *tree) []string {
	page, err := fs.ReadFile(t.root, howTo)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, m := range pathInPage.FindAllStringSubmatch(string(page), -1) {
		if found, err := fs.Glob(t.root, strings.TrimSuffix(m[1], "/")); err != nil || len(found) == 0 {
			out = append(out, fmt.Sprintf("%s: there is no %s", howTo, m[1]))
		}
	}
	tests := t.tests()
	for _, m := range testInPage.FindAllStringSubmatch(string(page), -1) {
		if !tests[m[1]] {
			out = append(out, fmt.Sprintf("%s: there is no %s", howTo, m[1]))
		}
	}
	return out
}

// tests are the names of all functions in files of tests.
func (t *tree) tests() map[string]bool {
	out := map[string]bool{}
	for _, f := range t.files() {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && f.test {
				out[fn.Name.Name] = true
			}
		}
	}
	return out
}
