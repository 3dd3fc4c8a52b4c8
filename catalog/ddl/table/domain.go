package table

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/define"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// domains changes domains, whose values tables may have.
type domains struct{ *Definer }

// alter runs ALTER DOMAIN.
func (d domains) alter(ctx context.Context, tree *ast.AlterDomain) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	t, err := ddl.OwnDomain(d.Definer.Definer.Definer, change.Snap, tree.Name)
	if err != nil {
		return err
	}
	cmd, b := tree.Command, d.Builder(ctx, change.Snap)
	var next *catalog.Type
	switch cmd.Kind {
	case ast.SetDefault, ast.DropDefault:
		next, err = define.DomainDefault(b, t, cmd.Column)
	case ast.SetNotNull, ast.DropNotNull:
		no := cmd.Kind == ast.SetNotNull
		if no && !t.Domain.NotNull {
			value := expr.Column{Name: "value", T: b.Catalog.Defined(t.Domain.Base)}
			err = d.holds(ctx, t, expr.IsNull{Arg: value},
				sqlerr.New(sqlerr.NotNullViolation, "contains null values"))
		}
		next = t.WithDomain(func(o *catalog.Domain) { o.NotNull = no })
	case ast.AddCheck:
		next, err = d.addCheck(ctx, b, t, *cmd.Check)
	case ast.DropConstraint:
		if t.Domain.Check(cmd.Name) < 0 {
			if missing := ddl.NoDomainConstraint(t.Name, cmd.Name); !cmd.IfExists {
				return missing
			}
			return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"constraint \"%s\" of domain \"%s\" does not exist, skipping", cmd.Name, t.Name))
		}
		next = t.WithDomain(func(o *catalog.Domain) {
			o.Checks = slices.DeleteFunc(o.Checks, func(c catalog.Check) bool { return c.Name == cmd.Name })
		})
	default:
		next, err = d.validate(ctx, b, t, cmd.Name)
	}
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, next)
}

// violated is what is wrong with values that violate a new constraint.
func violated() *sqlerr.Error {
	return sqlerr.New(sqlerr.CheckViolation, "contains values that violate the new constraint")
}

func (d domains) addCheck(ctx context.Context, b define.Builder, t *catalog.Type, check ast.Check) (
	*catalog.Type, error) {
	next, cond, err := define.AddDomainCheck(b, t, check)
	if err != nil || check.NotValid {
		return next, err
	}
	return next, d.holds(ctx, t, expr.IsBool{Arg: cond, Want: false}, violated())
}

func (d domains) validate(ctx context.Context, b define.Builder, t *catalog.Type, name string) (*catalog.Type, error) {
	at := t.Domain.Check(name)
	if at < 0 {
		return nil, ddl.NoDomainConstraint(t.Name, name)
	}
	next := t.WithDomain(func(o *catalog.Domain) { o.Checks[at].NotValid = false })
	if !t.Domain.Checks[at].NotValid {
		return next, nil
	}
	cond, err := b.DomainCheck(t.Domain.Base, t.Domain.Checks[at].Text, t.Domain.Checks[at].Read)
	if err != nil {
		return nil, err
	}
	return next, d.holds(ctx, t, expr.IsBool{Arg: cond, Want: false}, violated())
}

// holds wants no column of a domain to have values that meet a condition over the value. Of wrong it makes the error
// about a column. Columns with the domain inside of their types are refused, as in PostgreSQL.
func (d domains) holds(ctx context.Context, of *catalog.Type, cond expr.Expr, wrong *sqlerr.Error) error {
	domain, _ := of.OIDs()
	if err := d.onlyDirect(of.Name, domain); err != nil {
		return err
	}
	for _, t := range d.Txn.Changed().Snap.Tables() {
		if t.PartitionOf != nil {
			continue // its rows are its parent's, too
		}
		for i, c := range t.Columns {
			if direct, _ := contains(c.Type, domain); !direct {
				continue
			}
			if err := d.Txn.Alone(ctx, t); err != nil {
				return err
			}
			column := expr.Column{Index: i, Name: c.Name, T: c.Type}
			some, err := d.anyRow(ctx, t, expr.Rewrite(cond, func(e expr.Expr) expr.Expr {
				if _, ok := e.(expr.Column); ok {
					return column
				}
				return e
			}))
			if err != nil {
				return err
			}
			if some {
				e := sqlerr.New(wrong.Code, "column \"%s\" of table \"%s\" %s", c.Name, t.Name, wrong.Message)
				e.Schema, e.Table, e.Column = t.Schema, t.Name, c.Name
				return e
			}
		}
	}
	return nil
}

// onlyDirect refuses columns with values of a domain inside of others.
func (d domains) onlyDirect(name string, domain types.OID) error {
	for _, t := range d.Txn.Changed().Snap.Tables() {
		for _, c := range t.Columns {
			if _, inside := contains(c.Type, domain); inside {
				return sqlerr.New(sqlerr.FeatureNotSupported,
					"cannot alter type \"%s\" because column \"%s.%s\" uses it", name, t.Name, c.Name)
			}
		}
	}
	return nil
}

// contains says whether values of a type are of a domain, or have such inside.
func contains(t types.T, domain types.OID) (direct, inside bool) {
	for of := t; of.IsDomain(); of = of.Domain.Base {
		if of.Domain.OID == domain {
			return true, false
		}
	}
	if element, ok := types.ElementOf(t); ok {
		direct, inside = contains(element, domain)
		return false, direct || inside
	}
	for t.IsDomain() {
		t = t.Domain.Base
	}
	if t.Def == nil {
		return false, false
	}
	for _, field := range t.Def.Types {
		if direct, inside := contains(field, domain); direct || inside {
			return false, true
		}
	}
	return false, false
}
