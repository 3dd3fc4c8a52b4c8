package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/extension"
	"zproxy/parser/ast"
	"zproxy/planner/stored"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/types"
)

// extensions runs the statements about extensions. What belongs to one is built in; the object in the catalog makes its
// names known.
type extensions struct{ *Definer }

func (d extensions) run(ctx context.Context, tree *ast.Extension) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if tree.Update {
		return d.update(change.Snap, tree)
	}
	return d.create(ctx, change.Snap, tree)
}

func (d extensions) create(ctx context.Context, snap *catalog.Snapshot, tree *ast.Extension) error {
	if snap.Extension(tree.Name) != nil {
		if tree.Exists {
			return d.Notice(sqlerr.Notice(sqlerr.DuplicateObject, "extension %q already exists, skipping", tree.Name))
		}
		return sqlerr.New(sqlerr.DuplicateObject, "extension %q already exists", tree.Name)
	}
	of, ok := extension.Named(tree.Name)
	if !ok {
		return sqlerr.New(sqlerr.FeatureNotSupported, "extension %q is not available", tree.Name).
			WithDetail("Could not open extension control file \"extension/%s.control\": No such file or directory.",
				tree.Name).
			WithHint("The extension must first be installed on the system where PostgreSQL is running.")
	}
	if err := hasVersion(of, tree.Version); err != nil {
		return err
	}
	if err := d.mayCreate(snap, of); err != nil {
		return err
	}
	schema, err := d.schemaFor(snap, tree.Schema)
	if err != nil {
		return err
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, &catalog.Extension{ID: uint32(id), Name: of.Name, Schema: schema, Release: of.Version,
		Comment: of.Comment, Rights: catalog.Rights{Owner: d.Role}})
}

// hasVersion wants a version to be the one that is built in, or none.
func hasVersion(of *extension.Extension, version string) error {
	if version == "" || version == of.Version {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidParameterValue,
		"extension %q has no installation script nor update path for version %q", of.Name, version)
}

func (d extensions) mayCreate(snap *catalog.Snapshot, of *extension.Extension) error {
	if d.Superuser() {
		return nil
	}
	denied := statement.Denied("permission denied to create extension %q", of.Name)
	if of.Untrusted {
		return denied.WithHint("Must be superuser to create this extension.")
	}
	if d.MustHold(snap, snap.Database(), catalog.MayCreate) != nil {
		return denied.WithHint("Must have CREATE privilege on current database to create this extension.")
	}
	return nil
}

// schemaFor is the schema that an extension goes to.
func (d extensions) schemaFor(snap *catalog.Snapshot, name string) (string, error) {
	if name == "" {
		path := d.Schemas(snap)
		if len(path) == 0 {
			return "", sqlerr.New(sqlerr.UndefinedObject, "no schema has been selected to create in")
		}
		return path[0], d.MayMakeIn(snap, path[0])
	}
	if snap.Schema(name) == nil {
		return "", noSchema(name)
	}
	return name, d.MayMakeIn(snap, name)
}

// named finds an extension.
func (d extensions) named(snap *catalog.Snapshot, name string) (*catalog.Extension, error) {
	if x := snap.Extension(name); x != nil {
		return x, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "extension %q does not exist", name)
}

// own is named for one that the present role must own.
func (d extensions) own(snap *catalog.Snapshot, name string) (*catalog.Extension, error) {
	x, err := d.named(snap, name)
	if err != nil {
		return nil, err
	}
	return x, d.MustOwn(snap, x)
}

// update runs ALTER EXTENSION ... UPDATE. There is one version of each extension.
func (d extensions) update(snap *catalog.Snapshot, tree *ast.Extension) error {
	x, err := d.own(snap, tree.Name)
	if err != nil {
		return err
	}
	if tree.Version != "" && tree.Version != x.Release {
		return sqlerr.New(sqlerr.InvalidParameterValue,
			"extension %q has no update path from version %q to version %q", x.Name, x.Release, tree.Version)
	}
	return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "version %q of extension %q is already installed",
		x.Release, x.Name))
}

func (d extensions) setSchema(ctx context.Context, name, to string) error {
	snap := d.Txn.Changed().Snap
	x, err := d.own(snap, name)
	if err != nil {
		return err
	}
	if _, err := d.schemaFor(snap, to); err != nil {
		return err
	}
	if x.BuiltIn() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "extension %q does not support SET SCHEMA", name)
	}
	if x.Schema == to {
		return nil
	}
	return d.put(ctx, x, func(c *catalog.Extension) { c.Schema = to })
}

func (d extensions) comment(ctx context.Context, name, text string) error {
	x, err := d.own(d.Txn.Changed().Snap, name)
	if err != nil {
		return err
	}
	return d.put(ctx, x, func(c *catalog.Extension) { c.Comment = text })
}

// put changes an extension.
func (d extensions) put(ctx context.Context, x *catalog.Extension, change func(*catalog.Extension)) error {
	c := *x
	c.Version++
	change(&c)
	return d.Txn.Put(ctx, &c)
}

func (d extensions) toDrop(snap *catalog.Snapshot, name string) (catalog.Object, error) {
	x, err := d.named(snap, name)
	switch {
	case err != nil:
		return nil, err
	case x.BuiltIn():
		return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop extension %s because it is required by the database system", name)
	}
	return x, nil
}

// drop drops an extension that no constraint, index or statistics object needs any more. A type goes with it.
func (d extensions) drop(ctx context.Context, x *catalog.Extension, member types.OID) error {
	if member != types.OIDInvalid {
		return nil
	}
	snap := d.Txn.Changed().Snap.Without(x)
	expressions := stored.In(snap)
	for _, t := range snap.Tables() {
		_, err := expressions.Written(t)
		if err == nil {
			_, err = expressions.ComputedOver(t, snap.Statistics(t.ID))
		}
		if err != nil {
			return sqlerr.New(sqlerr.DependentObjectsStillExist,
				"cannot drop extension %s because other objects depend on it", expr.QuoteIdent(x.Name)).
				WithDetail("a constraint, an index or a statistics object of table %s depends on extension %s",
					expr.QuoteIdent(t.Name), expr.QuoteIdent(x.Name))
		}
	}
	return d.Txn.Remove(ctx, x)
}

// usersOf are the types of an extension, and the views, defaults and constraints that mean nothing without it.
func (d *drop) usersOf(x *catalog.Extension) []dependent {
	without := d.snap.Without(x)
	p, expressions := d.of.Planner(without), stored.In(without)
	var out []dependent
	for _, info := range types.All() {
		if info.Extension == x.Name {
			out = append(out, dependent{Target{Object: x, Type: info.OID}, true})
		}
	}
	relations, queries := catalog.Queries(d.snap)
	for i, v := range queries {
		if !p.StillValid(v) {
			out = append(out, dependent{Target: Target{Object: relations[i]}})
		}
	}
	for _, t := range d.snap.Tables() {
		for _, c := range t.Columns {
			if _, err := expressions.Default(c); c.Default != "" && err != nil {
				out = append(out, dependent{Target: Target{Object: t, Column: c.ID, IsDefault: true}})
			}
		}
	}
	return out
}
