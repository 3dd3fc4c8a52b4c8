package archtest

import (
	"go/ast"
	"go/token"
	"strings"
)

// checkState wants no init function and no package variable that changes: none that is
// assigned to, none of a type that is there to change, and no exported map, which any
// package could write to.
func checkState(t *tree) []string {
	vars := map[string]bool{} // by import path and name
	var out []string
	for p, f := range t.files() {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				out = append(out, t.problem(d.Pos(), "an init function"))
			}
			for _, v := range variables(d) {
				for _, name := range v.Names {
					vars[module+p.path+"."+name.Name] = true
				}
				name := v.Names[0].Name
				if !f.test && changeable(v) {
					out = append(out, t.problem(v.Pos(), "package variable %s can change", name))
				}
			}
		}
	}
	for p, f := range t.files() {
		for _, d := range f.syntax.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				out = append(out, t.assignments(module+p.path, f, fn, vars)...)
			}
		}
	}
	return out
}

// variables are those that a declaration of a package makes.
func variables(d ast.Decl) []*ast.ValueSpec {
	g, ok := d.(*ast.GenDecl)
	if !ok || g.Tok != token.VAR {
		return nil
	}
	out := make([]*ast.ValueSpec, len(g.Specs))
	for i, s := range g.Specs {
		out[i] = s.(*ast.ValueSpec)
	}
	return out
}

// changeable says whether the type of a variable is one that is there to change, as far
// as the declaration shows it.
func changeable(v *ast.ValueSpec) bool {
	if s, ok := v.Type.(*ast.SelectorExpr); ok {
		x, ok := s.X.(*ast.Ident)
		return ok && (x.Name == "atomic" || x.Name == "sync" && s.Sel.Name != "Once" && s.Sel.Name != "Pool")
	}
	isMap := func(e ast.Expr) bool { _, ok := e.(*ast.MapType); return ok }
	if !v.Names[0].IsExported() {
		return false
	}
	for _, e := range v.Values {
		if c, ok := e.(*ast.CompositeLit); ok && isMap(c.Type) {
			return true
		}
		if c, ok := e.(*ast.CallExpr); ok && len(c.Args) > 0 && isMap(c.Args[0]) {
			return true
		}
	}
	return isMap(v.Type)
}

// assignments finds those in a function that change one of the variables. A name that
// the function declares anywhere is taken for its own.
func (t *tree) assignments(pkg string, f *file, fn *ast.FuncDecl, vars map[string]bool) []string {
	own := locals(fn)
	var out []string
	judge := func(e ast.Expr) {
		if name := assigned(pkg, f, own, e); vars[name] {
			out = append(out, t.problem(e.Pos(), "assignment to package variable %s", strings.TrimPrefix(name, module)))
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, e := range n.Lhs {
					judge(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				judge(n.Key)
				judge(n.Value)
			}
		case *ast.IncDecStmt:
			judge(n.X)
		}
		return true
	})
	return out
}

// assigned is the variable that an assignment to an expression changes.
func assigned(pkg string, f *file, own map[string]bool, e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if own[x.Name] || x.Name == "_" {
				return ""
			}
			return pkg + "." + x.Name
		case *ast.SelectorExpr:
			if q, ok := x.X.(*ast.Ident); ok && !own[q.Name] && f.imports[q.Name] != "" {
				return f.imports[q.Name] + "." + x.Sel.Name
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return ""
		}
	}
}

// locals are the names that a function declares: receiver, parameters, results and
// variables, also those of functions in it.
func locals(fn *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	add := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok {
			out[id.Name] = true
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					add(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
		return true
	})
	return out
}
