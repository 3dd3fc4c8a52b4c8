// Package archtest checks what holds for the whole project and no compiler checks: who
// may import whom (the tables of ARCHITECTURE.md), the sizes of functions and files,
// doc comments, package variables that change, and names in prose that must exist.
// Not here is how code is formatted, which is gofmt's matter, nor what it does, which is that of the other tests.
// Read checks in archtest_test.go first, and the scripts of testdata.
//
// It reads syntax only, so it is quick and also works while a package does not compile.
package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module begins the import path of every package of the project.
const module = "zproxy/"

// tree is the Go source of the project.
type tree struct {
	root     fs.FS
	fset     *token.FileSet
	packages map[string]*folder // by path from the root
}

// folder is a package with its tests.
type folder struct {
	path  string
	name  string // of the package
	files []*file
	// helper says that the package serves tests only: what it ships imports testing.
	helper bool
}

// file is one source file.
type file struct {
	path      string
	test      bool
	generated bool
	lines     int
	wide      []int // the numbers of lines that are wider than they should be
	syntax    *ast.File
	imports   map[string]string // import paths by the names that the file knows them by
}

// load parses every package under a root.
func load(root fs.FS) (*tree, error) {
	t := &tree{root: root, fset: token.NewFileSet(), packages: map[string]*folder{}}
	return t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || outside(name, d)):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		return t.add(name)
	})
}

// outside says whether a folder holds nothing of the project: git's own, or what is built.
func outside(name string, d fs.DirEntry) bool {
	return d.IsDir() && (name == ".git" || name == "bin")
}

func (t *tree) add(name string) error {
	text, err := fs.ReadFile(t.root, name)
	if err != nil {
		return err
	}
	syntax, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	f := &file{
		path: name, test: strings.HasSuffix(name, "_test.go"), generated: ast.IsGenerated(syntax),
		lines: bytes.Count(text, []byte("\n")), wide: wideLines(text), syntax: syntax, imports: map[string]string{},
	}
	for _, spec := range syntax.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		f.imports[importName(spec, target)] = target
	}
	dir := path.Dir(name)
	if t.packages[dir] == nil {
		t.packages[dir] = &folder{path: dir}
	}
	p := t.packages[dir]
	p.files = append(p.files, f)
	p.name = strings.TrimSuffix(syntax.Name.Name, "_test")
	p.helper = p.helper || !f.test && slices.Contains(slices.Collect(maps.Values(f.imports)), "testing")
	return nil
}

// version ends the import path of a module's later major versions.
var version = regexp.MustCompile(`/v[0-9]+$`)

// importName is the name that a file knows a package by; without the package at hand
// it is taken from the path.
func importName(spec *ast.ImportSpec, target string) string {
	if spec.Name == nil {
		return path.Base(version.ReplaceAllString(target, ""))
	}
	if spec.Name.Name == "_" {
		return "_ " + target // unknown to the file, and not the same as another
	}
	return spec.Name.Name
}

// files are those of all packages, in the order of their paths.
func (t *tree) files() iter.Seq2[*folder, *file] {
	return func(yield func(*folder, *file) bool) {
		for _, dir := range slices.Sorted(maps.Keys(t.packages)) {
			for _, f := range t.packages[dir].files {
				if !yield(t.packages[dir], f) {
					return
				}
			}
		}
	}
}

// forTests says whether a file of the package never ships.
func (p *folder) forTests(f *file) bool { return f.test || p.helper }

// problem is a finding at a place.
func (t *tree) problem(at token.Pos, format string, args ...any) string {
	p := t.fset.Position(at)
	return fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, fmt.Sprintf(format, args...))
}
