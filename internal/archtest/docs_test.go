package archtest

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
)

// checkDocs wants a comment on every package and every exported name, and a full stop
// at its end. A name in a group is content with the comment of the group.
func checkDocs(t *tree) []string {
	var out []string
	documented := map[*folder]bool{}
	for p, f := range t.files() {
		if f.syntax.Doc != nil {
			documented[p] = true
			if !sentence(f.syntax.Doc) {
				out = append(out, t.problem(f.syntax.Package, "the comment has no full stop at its end"))
			}
		}
		if f.test || f.generated {
			continue
		}
		for _, d := range f.syntax.Decls {
			out = append(out, t.undocumented(d)...)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(t.packages)) {
		if !documented[t.packages[dir]] {
			out = append(out, fmt.Sprintf("%s: the package has no comment", dir))
		}
	}
	return out
}

// undocumented finds what a declaration lacks.
func (t *tree) undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || ast.IsExported(receiver(d)) {
			return t.doc(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		var out []string
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, t.doc(s.Name, s.Doc, d.Doc)...)
			case *ast.ValueSpec:
				for _, name := range s.Names {
					out = append(out, t.doc(name, s.Doc, d.Doc, s.Comment)...)
				}
			}
		}
		return out
	}
	return nil
}

// receiver is the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	for e := d.Recv.List[0].Type; ; {
		switch x := e.(type) {
		case *ast.Ident:
			return x.Name
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// doc judges the first comment that there is. The last of three stands behind its name
// on the same line and need not be a sentence.
func (t *tree) doc(name *ast.Ident, comments ...*ast.CommentGroup) []string {
	if !name.IsExported() {
		return nil
	}
	for i, c := range comments {
		switch {
		case c == nil:
		case i == 2 || sentence(c):
			return nil
		default:
			return []string{t.problem(name.Pos(), "the comment on %s has no full stop at its end", name.Name)}
		}
	}
	return []string{t.problem(name.Pos(), "%s has no comment", name.Name)}
}

// sentence says whether a comment ends with a full stop, or with an indented example.
func sentence(c *ast.CommentGroup) bool {
	text := strings.TrimRight(c.Text(), "\n")
	last := text[strings.LastIndex(text, "\n")+1:]
	return strings.HasSuffix(last, ".") || strings.HasSuffix(last, ".)") ||
		strings.HasPrefix(last, "\t") || strings.HasPrefix(last, "  ")
}
