package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
)

// mostNames is how many exported names a package has at most, without methods and fields: what a reader of it can look
// through.
const mostNames = 50

// vocabularies are the packages that have more, and how many at most. They are what others speak in: values of SQL,
// syntax trees, plans, errors, the contract of stores. A number becomes larger only with a kind of value that is new to
// users.
var vocabularies = map[string]int{
	"catalog":       188,
	"catalog/part":  53,
	"expr":          105,
	"parser/ast":    394,
	"planner/bound": 58,
	"planner/plan":  164,
	"plpgsql":       51,
	"sqlerr":        156,
	"store":         75,
	"types":         261,
}

// checkNames counts the exported names of each package of the program.
func checkNames(t *tree) []string { return t.exceedsNames(mostNames, vocabularies) }

func (t *tree) exceedsNames(most int, except map[string]int) (out []string) {
	all := map[string]int{}
	for p, f := range t.files() {
		if !p.forTests(f) && !f.generated {
			all[p.path] += exportedNames(f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if n := all[name]; n > max(most, except[name]) {
			out = append(out, fmt.Sprintf("%s has %d exported names", name, n))
		}
	}
	return append(out, t.unknown(except)...)
}

// exportedNames is how many names a file declares for other packages.
func exportedNames(f *file) (n int) {
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				n++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							n++
						}
					}
				}
			}
		}
	}
	return n
}
