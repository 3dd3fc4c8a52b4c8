package define

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// Policy makes a policy of a table as CREATE POLICY describes it, or changes it as ALTER POLICY does.
func Policy(b Builder, p *catalog.Policy, t *catalog.Table, tree *ast.Policy) error {
	if !tree.Alter {
		id, err := b.Next()
		if err != nil {
			return err
		}
		p.ID, p.Name, p.Restrictive, p.Command = uint32(id), tree.Name, tree.Restrictive, tree.Command
		if tree.Command == "all" {
			p.Command = ""
		}
	}
	switch {
	case tree.Check != nil && (p.Command == "select" || p.Command == "delete"):
		if tree.Alter {
			return sqlerr.New(sqlerr.SyntaxError, "only USING expression allowed for SELECT, DELETE")
		}
		return sqlerr.New(sqlerr.SyntaxError, "WITH CHECK cannot be applied to SELECT or DELETE")
	case tree.Using != nil && p.Command == "insert":
		return sqlerr.New(sqlerr.SyntaxError, "only WITH CHECK expression allowed for INSERT")
	}
	if tree.Using != nil {
		text, err := policyText(b, t, tree.Table, tree.Using, tree.UsingText)
		if err != nil {
			return err
		}
		p.Using = text
	}
	if tree.Check != nil {
		text, err := policyText(b, t, tree.Table, tree.Check, tree.CheckText)
		if err != nil {
			return err
		}
		p.Check = text
	}
	return nil
}

// policyText is an expression of a policy as the catalog keeps it.
func policyText(b Builder, t *catalog.Table, name ast.Name, tree ast.Expr, text string) (*catalog.StoredText, error) {
	out := &catalog.StoredText{Text: text, Path: append([]string(nil), b.SearchPath...), Read: b.Written()}
	b.Uses = &out.Uses
	defer func() { b.Uses = nil }()
	if _, err := b.Relation(name); err != nil { // which is the first that is used
		return nil, err
	}
	return out, bind.Noted(&b.Binder, out.Read, func() error {
		_, err := b.BindPolicy(t, tree)
		return err
	})
}
