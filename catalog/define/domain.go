package define

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Domain makes the domain that a statement describes.
func Domain(b Builder, tree *ast.CreateDomain) (*catalog.Type, error) {
	tree.Type.Pos = -1
	base, err := b.storedType(tree.Type)
	if err != nil {
		return nil, err
	}
	if info := types.InfoOf(base.OID); info.Category == types.CategoryPseudo {
		return nil, sqlerr.New(sqlerr.DatatypeMismatch, "\"%s\" is not a valid base type for a domain", tree.Type.Name)
	}
	tree.Collation.Pos = -1
	if base, err = collated(b, tree.Collation, base); err != nil {
		return nil, err
	}
	t := &catalog.Type{Name: tree.Name.Name, Domain: &catalog.Domain{Base: base, NotNull: tree.NotNull}}
	t.Domain.Base.Def = nil // it is looked up anew
	if tree.Default != nil {
		if t, err = DomainDefault(b, t, tree.Default); err != nil {
			return nil, err
		}
	}
	for _, check := range tree.Checks {
		if t, _, err = AddDomainCheck(b, t, check); err != nil {
			return nil, err
		}
	}
	t.Version = 0
	return t, nil
}

// DomainDefault is a domain with a default, or with a nil tree without one of its own.
func DomainDefault(b Builder, t *catalog.Type, d *ast.ColumnDef) (*catalog.Type, error) {
	c := t.AsColumn()
	c.Type, c.Default, c.DefaultUses, c.DefaultRead = b.Catalog.Defined(c.Type), "", nil, nil
	if d != nil {
		if err := b.newDefault(&c, d.Default, d.DefaultText); err != nil {
			return nil, bind.InStored(err)
		}
	}
	return t.WithDomain(func(d *catalog.Domain) {
		d.Default, d.DefaultUses, d.DefaultRead = c.Default, c.DefaultUses, c.DefaultRead
	}), nil
}

// AddDomainCheck is a domain with one more check, and the condition of that over the value.
func AddDomainCheck(b Builder, t *catalog.Type, c ast.Check) (*catalog.Type, expr.Expr, error) {
	out := catalog.Check{Name: c.Name, Text: c.Text, Read: b.Written(), Validity: c.Validity}
	var cond expr.Expr
	if err := bind.Noted(&b.Binder, out.Read, func() (err error) {
		cond, err = b.OverValue(b.Catalog.Defined(t.Domain.Base)).Condition(c.Expr, "CHECK")
		return bind.InStored(err)
	}); err != nil {
		return nil, nil, err
	}
	taken := func(name string) bool { return t.Domain.Check(name) >= 0 }
	switch {
	case out.Name == "":
		out.Name = freeName(t.Name, "", "check", taken)
	case taken(out.Name):
		return nil, nil, sqlerr.New(sqlerr.DuplicateObject,
			"constraint \"%s\" for domain \"%s\" already exists", out.Name, t.Name)
	}
	id, err := b.Next()
	if err != nil {
		return nil, nil, err
	}
	out.ID = uint32(id)
	return t.WithDomain(func(d *catalog.Domain) { d.Checks = append(d.Checks, out) }), cond, nil
}
