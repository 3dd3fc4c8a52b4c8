package archtest

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// treePackage has the syntax tree, and treeReaders are those who read it, itself where it desugars.
const treePackage = "zproxy/parser/ast"

var treeReaders = []string{
	treePackage, "zproxy/planner", "zproxy/planner/analyze", "zproxy/planner/bind", "zproxy/planner/bound",
	"zproxy/planner/clause", "zproxy/planner/deparse", "zproxy/planner/stored", "zproxy/catalog/define",
	"zproxy/catalog/define/plain", "zproxy/catalog/define/ranges", "zproxy/catalog/ddl", "zproxy/catalog/ddl/database", "zproxy/catalog/ddl/index", "zproxy/catalog/ddl/table",
	"zproxy/session", "zproxy/session/copy",
	"zproxy/session/cursor", "zproxy/session/identity", "zproxy/session/observe", "zproxy/session/settings",
	"zproxy/session/transaction", "zproxy/planner/explain",
}

// unread are fields that may stay without a reader. Those of positions are for errors, and not looked at.
var unread = map[string]string{
	"CreateAccessMethod.Kind":    "no method of either kind has a handler",
	"CreateConversion.Default":   "no conversion has a function",
	"GrantRole.Cascade":          "PostgreSQL 15 does not look at it, either",
	"ImportForeignSchema.Remote": "a server has one schema, whatever it is called",
}

// TestTreeIsRead wants each field of the syntax tree to be read behind the parser: what
// the parser converts and no code reads is ignored in silence.
func TestTreeIsRead(t *testing.T) {
	format := "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \",\"}}"
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", format},
		treeReaders...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, sources := map[string]string{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		exports[f[0]] = f[1]
		for _, name := range strings.Split(f[3], ",") {
			sources[f[0]] = append(sources[f[0]], f[2]+"/"+name)
		}
	}
	r := treeReading{files: token.NewFileSet(), fields: map[string]bool{}}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	r.imports = importer.ForCompiler(r.files, "gc", open)
	tree, err := r.imports.Import(treePackage)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range treeReaders {
		r.add(t, path, sources[path])
	}
	for _, name := range tree.Scope().Names() {
		s, ok := tree.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range s.NumFields() {
			f := s.Field(i)
			field, position := name+"."+f.Name(), strings.HasSuffix(f.Type().String(), ".Pos") || f.Name() == "Offset"
			switch _, listed := unread[field]; {
			case position || f.Embedded():
			case listed == r.fields[field]:
				t.Errorf("ast.%s: read %v, listed as unread %v", field, r.fields[field], listed)
			}
		}
	}
}

// treeReading is what packages read of the syntax tree.
type treeReading struct {
	files   *token.FileSet
	imports types.Importer
	fields  map[string]bool
}

// add notes the fields that a package selects and does not only set.
func (r *treeReading) add(t *testing.T, path string, sources []string) {
	t.Helper()
	var parsed []*ast.File
	for _, name := range sources {
		f, err := parser.ParseFile(r.files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := (&types.Config{Importer: r.imports}).Check(path, r.files, parsed, info); err != nil {
		t.Fatal(err)
	}
	set := map[ast.Expr]bool{}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.ASSIGN {
				for _, to := range a.Lhs {
					set[to] = true
				}
			}
			return true
		})
	}
	for at, s := range info.Selections {
		if s.Kind() != types.FieldVal || set[at] {
			continue
		}
		owner := s.Recv()
		if p, ok := owner.Underlying().(*types.Pointer); ok {
			owner = p.Elem()
		}
		for _, i := range s.Index() { // through embedded structs
			named, ok := types.Unalias(owner).(*types.Named)
			field := owner.Underlying().(*types.Struct).Field(i)
			if ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == treePackage {
				r.fields[named.Obj().Name()+"."+field.Name()] = true
			}
			owner = field.Type()
			if p, ok := owner.Underlying().(*types.Pointer); ok {
				owner = p.Elem()
			}
		}
	}
}
