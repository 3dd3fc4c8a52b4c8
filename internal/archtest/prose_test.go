package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"strings"
)

// life is the file that tells the life of a SELECT by the names of the code.
const life = "session/doc.go"

// named are the words of prose that stand for code: with a dot inside, in backquotes, or
// in the brackets of a doc link.
var named = regexp.MustCompile("`([^`]+)`" + `|\[\*?([A-Za-z_][\w.]*)\]|\b([A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+)`)

// checkLife wants every name in the file to be one of the code's, so that it does not
// go stale. Names of packages from elsewhere are not looked into.
func checkLife(t *tree) []string {
	names := t.names()
	var out []string
	for p, f := range t.files() {
		if f.path != life {
			continue
		}
		for _, m := range named.FindAllStringSubmatch(f.syntax.Doc.Text(), -1) {
			if word := m[1] + m[2] + m[3]; !names[word] && !names[p.name+"."+word] && !t.foreign(word) {
				out = append(out, fmt.Sprintf("%s: %s is no name in the tree", life, word))
			}
		}
	}
	return out
}

// foreign says whether a word names something in a package from elsewhere that the
// project imports.
func (t *tree) foreign(word string) bool {
	first, _, dotted := strings.Cut(word, ".")
	for _, f := range t.files() {
		if target := f.imports[first]; dotted && target != "" && !strings.HasPrefix(target, module) {
			return true
		}
	}
	return false
}

// names are those of packages, also by path, and of what they declare: sqlerr.Error, and
// with a field or method sqlerr.Error.Code.
func (t *tree) names() map[string]bool {
	out := map[string]bool{}
	for p, f := range t.files() {
		out[p.path], out[p.name] = true, true
		for _, d := range f.syntax.Decls {
			for _, name := range declares(d) {
				out[p.name+"."+name] = true
			}
		}
	}
	return out
}

func declares(d ast.Decl) []string {
	var out []string
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			return []string{receiver(d) + "." + d.Name.Name}
		}
		return []string{d.Name.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, name := range s.Names {
					out = append(out, name.Name)
				}
			case *ast.TypeSpec:
				out = append(out, s.Name.Name)
				for _, member := range members(s.Type) {
					out = append(out, s.Name.Name+"."+member)
				}
			}
		}
	}
	return out
}

// members are the fields of a struct or the methods of an interface.
func members(e ast.Expr) []string {
	var list *ast.FieldList
	switch e := e.(type) {
	case *ast.StructType:
		list = e.Fields
	case *ast.InterfaceType:
		list = e.Methods
	default:
		return nil
	}
	var out []string
	for _, field := range list.List {
		for _, name := range field.Names {
			out = append(out, name.Name)
		}
	}
	return out
}

// elsewhere are folders beside the repository, which a clone does not have. They are put
// together here so that this file does not name them.
var elsewhere = []string{"/work/" + "shared", "../" + "shared"}

// checkSelfContained wants no file to name a folder outside the repository.
func checkSelfContained(t *tree) []string {
	var out []string
	err := fs.WalkDir(t.root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if outside(name, d) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(t.root, name)
		for _, folder := range elsewhere {
			if strings.Contains(string(text), folder) {
				out = append(out, fmt.Sprintf("%s: names %s", name, folder))
			}
		}
		return err
	})
	if err != nil {
		out = append(out, err.Error())
	}
	return out
}
