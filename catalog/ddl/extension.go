package ddl

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin/extension"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/inverted"
	"zproxy/parser/ast"
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

// drop drops an extension on which nothing depends any more. Its types and functions go with it.
func (d extensions) drop(ctx context.Context, x *catalog.Extension, member Target) error {
	if member.Type != types.OIDInvalid || member.Member != "" {
		return nil
	}
	return d.Txn.Remove(ctx, x)
}

// usersOf are the types of an extension and what else of it tables use, and the views that mean nothing without it.
func (d *drop) usersOf(x *catalog.Extension) []dependent {
	p := d.of.Planner(d.snap.Without(x))
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
	for _, member := range slices.Backward(slices.Sorted(maps.Keys(d.membersUsed(x)))) {
		out = append(out, dependent{Target{Object: x, Member: member}, true})
	}
	return out
}

// ofExtension is what depends on an extension, or on a member of it.
func (d *drop) ofExtension(x *catalog.Extension, t Target) []dependent {
	switch {
	case t.Type != types.OIDInvalid:
		return append(d.partsNaming(x), d.users(t.Type)...)
	case t.Member != "":
		return d.membersUsed(x)[t.Member]
	}
	return append(d.usersOf(x), d.membersBy(x)...)
}

// membersUsed are the functions, operators and operator classes of an extension that tables use, as messages name them,
// with the parts of tables that do.
func (d *drop) membersUsed(x *catalog.Extension) map[string][]dependent {
	out := map[string][]dependent{}
	qualified := extensions{d.of}.nameIn(d.snap, x)
	for _, t := range d.snap.Tables() {
		for _, part := range d.expressions(t) {
			named := map[string]bool{}
			expr.Any(part.of, func(e expr.Expr) bool {
				if c, ok := e.(expr.Call); ok {
					named[extensions{d.of}.member(d.snap, x, c.Fn)] = true
				}
				return false
			})
			delete(named, "")
			for member := range named {
				out[member] = append(out[member], dependent{Target: part.Target})
			}
		}
		for i := range t.Indexes {
			of := &t.Indexes[i]
			for _, name := range of.Classes {
				if c := inverted.Find(string(of.Method), name); c != nil && c.Extension == x.Name {
					member := fmt.Sprintf("operator class %s for access method %s", qualified(c.Name), of.Method)
					out[member] = append(out[member], dependent{Target: Target{Object: t, Index: of.ID}})
				}
			}
		}
	}
	return out
}

// partsNaming are the parts of tables that mean nothing without an extension, though they use no function of it: they
// name its types.
func (d *drop) partsNaming(x *catalog.Extension) []dependent {
	used := map[targetKey]bool{}
	for _, list := range d.membersUsed(x) {
		for _, of := range list {
			used[of.key()] = true
		}
	}
	return slices.DeleteFunc(d.lostParts(d.snap.Without(x)), func(of dependent) bool { return used[of.key()] })
}

// member is how messages name a function or an operator of an extension; empty: it is of none, or of another one.
func (d extensions) member(snap *catalog.Snapshot, x *catalog.Extension, f *expr.Function) string {
	if name, ok := pg.ExtensionOf(f.Schema); !ok || name != x.Name {
		return ""
	}
	kind, name := "function", expr.QuoteIdent(f.Name)
	if f.Operator != "" {
		kind, name = "operator", f.Operator
	}
	return kind + " " + d.nameIn(snap, x)(name) + "(" + routines(d).typeList(snap, f.Args, ",") + ")"
}

// nameIn gives names of an extension its schema, where search_path does not lead there.
func (d extensions) nameIn(snap *catalog.Snapshot, x *catalog.Extension) func(name string) string {
	if slices.Contains(d.Path(snap), x.Schema) {
		return func(name string) string { return name }
	}
	return func(name string) string { return expr.QuoteIdent(x.Schema) + "." + name }
}
