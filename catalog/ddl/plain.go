package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// plains runs what statements do to objects without rows or columns of any kind: COMMENT, DROP, OWNER TO, SET SCHEMA.
type plains struct{ *Definer }

// isPlain says whether the objects of a kind are such.
func isPlain(kind ast.ObjectKind) bool {
	switch kind {
	case ast.OperatorObject, ast.CastObject, ast.PublicationObject, ast.CollationObject:
		return true
	}
	return false
}

// named finds the object that a statement names.
func (d plains) named(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name, s *ast.Signature) (
	*catalog.Plain, error,
) {
	switch kind {
	case ast.OperatorObject:
		return operators(d).named(snap, s)
	case ast.CastObject:
		return casts(d).named(snap, s)
	case ast.CollationObject:
		return collations(d).named(snap, n)
	}
	if p := snap.Named(catalog.Kind(kind), n.Name); p != nil {
		return p, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "%s %q does not exist", kind, n.Name)
}

func (d plains) rename(ctx context.Context, tree *ast.Rename) error {
	snap := d.Txn.Changed().Snap
	p, err := d.own(snap, tree.Kind, tree.Name, nil)
	switch {
	case err != nil:
		return err
	case p.Collation != nil:
		if err := d.nameTaken(snap, p, p.Schema, tree.New); err != nil {
			return err
		}
		return d.put(ctx, p, func(c *catalog.Plain) { c.Name = tree.New })
	case snap.Named(p.Kind, tree.New) != nil:
		return sqlerr.New(sqlerr.DuplicateObject, "%s %q already exists", p.Kind, tree.New)
	}
	if err := d.MustHold(snap, snap.Database(), catalog.MayCreate); err != nil {
		return err
	}
	return d.put(ctx, p, func(c *catalog.Plain) { c.Name = tree.New })
}

// own is named for one that the present role must own.
func (d plains) own(snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name, s *ast.Signature) (*catalog.Plain, error) {
	p, err := d.named(snap, kind, n, s)
	if err == nil && p.Cast == nil {
		err = d.MustOwn(snap, p)
	}
	return p, err
}

// put changes an object.
func (d plains) put(ctx context.Context, p *catalog.Plain, change func(*catalog.Plain)) error {
	c := *p
	c.Version++
	change(&c)
	return d.Txn.Put(ctx, &c)
}

func (d plains) comment(ctx context.Context, tree *ast.Comment, text string) error {
	p, err := d.own(d.Txn.Changed().Snap, tree.Kind, tree.Name, tree.Routine)
	if err != nil {
		return err
	}
	return d.put(ctx, p, func(c *catalog.Plain) { c.Comment = text })
}

func (d plains) setSchema(ctx context.Context, tree *ast.SetSchema) error {
	snap := d.Txn.Changed().Snap
	p, err := d.own(snap, tree.Kind, tree.Name, tree.Routine)
	if err == nil {
		err = mayMove(ctx, d.Definer, p.Name, p.Schema, tree.Schema)
	}
	if err != nil || p.Schema == tree.Schema {
		return err
	}
	if err := d.nameTaken(snap, p, tree.Schema, p.Name); err != nil {
		return err
	}
	return d.put(ctx, p, func(c *catalog.Plain) { c.Schema = tree.Schema })
}

// nameTaken refuses a name for an object in a schema that another one has there.
func (d plains) nameTaken(snap *catalog.Snapshot, p *catalog.Plain, schema, name string) error {
	for _, q := range snap.PlainsNamed(p.Kind, schema, name) {
		called := "\"" + name + "\""
		if p.Collation != nil {
			called = encoded(name, p.Collation)
		}
		if p.Key() == q.Key() || p.Collation != nil {
			return sqlerr.New(sqlerr.DuplicateObject, "%s %s already exists in schema %q", p.Kind, called, schema)
		}
	}
	return nil
}

// drop runs DROP of objects, some of which are named with the types of others.
func (d plains) drop(ctx context.Context, tree *ast.Drop) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	var targets []Target
	for _, of := range signatures(tree) {
		s := &of
		p, err := d.named(change.Snap, tree.Kind, s.Name, s)
		if err != nil && tree.IfExists && skipsRoutine(err) {
			if err := d.Notice(d.skipping(tree.Kind, s, err)); err != nil {
				return err
			}
			continue
		}
		if err == nil && p.Cast == nil {
			err = d.MustOwnToDrop(change.Snap, p)
		}
		if err != nil {
			return err
		}
		targets = append(targets, Target{Object: p})
	}
	return d.Drop(ctx, targets, tree.Cascade)
}

// skipping tells that there is no object of a name.
func (d plains) skipping(kind ast.ObjectKind, s *ast.Signature, err error) *sqlerr.Error {
	message := sqlerr.From(err).Message
	if sqlerr.Has(err, sqlerr.UndefinedFunction) {
		message = string(kind) + " " + bind.Dotted(s.Name) + " does not exist"
	}
	if kind == ast.CollationObject && sqlerr.Has(err, sqlerr.UndefinedObject) {
		message = "collation \"" + bind.Dotted(s.Name) + "\" does not exist"
	}
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", message)
}

// dropOne drops an object on which nothing depends any more.
func (d plains) dropOne(ctx context.Context, p *catalog.Plain) error {
	now := d.Txn.Changed().Snap.PlainByID(p.ID)
	if now == nil {
		return nil
	}
	if now.Operator != nil {
		if err := operators(d).unlink(ctx, now); err != nil {
			return err
		}
	}
	return d.Txn.Remove(ctx, now)
}

// describe names an object as PostgreSQL's messages do.
func (d plains) describe(snap *catalog.Snapshot, p *catalog.Plain) string {
	switch {
	case p.Operator != nil:
		return operators(d).describe(snap, p)
	case p.Cast != nil:
		return casts(d).describe(snap, p)
	case p.Collation != nil:
		return "collation " + catalog.CollationName(snap, p.ID, d.Path(snap), expr.QuoteIdent)
	case p.Amendment != nil:
		return p.Amendment.Kind + " " + p.Amendment.Name
	}
	return string(p.Kind) + " " + expr.QuoteIdent(p.Name)
}

// plainsOf are the objects that need a function or a type.
func (d *drop) plainsOf(needs func(*catalog.Plain) bool) (out []dependent) {
	for _, p := range d.snap.Plains("") {
		if needs(p) {
			out = append(out, dependent{Target: Target{Object: p}})
		}
	}
	return out
}

// calling are the objects that call a function.
func (d *drop) calling(f *catalog.Function) []dependent {
	return d.plainsOf(func(p *catalog.Plain) bool { return slices.Contains(p.Functions(), f.ID) })
}
