package index

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// createIndex makes an index, and fills it before anybody can see it, or in the background.
func (d *Definer) createIndex(ctx context.Context, tree *ast.CreateIndex) error {
	later := tree.Concurrently || tree.Timing == ast.Async
	if tree.Concurrently || later {
		if err := d.Block.NotIn("CREATE INDEX " + map[bool]string{true: "CONCURRENTLY",
			false: "ASYNC"}[tree.Concurrently]); err != nil {
			return err
		}
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	b := d.Builder(ctx, change.Snap)
	t, err := b.Table(tree.Table)
	if err != nil {
		return err
	}
	if err := d.MustOwn(change.Snap, t); err != nil {
		return err
	}
	if err := d.MayMakeIn(change.Snap, t.Schema); err != nil {
		return err
	}
	if tree.Name != "" && ddl.IndexNameTaken(change.Snap, t, tree.Name) {
		if tree.IfNotExists {
			return d.Notice(sqlerr.Notice(sqlerr.DuplicateTable, "relation %q already exists, skipping", tree.Name))
		}
		return sqlerr.New(sqlerr.DuplicateTable, "relation %q already exists", tree.Name)
	}
	t, x, err := b.CreateIndex(tree, t)
	if err != nil {
		return err
	}
	if err := d.InUse("CREATE INDEX", t); err != nil {
		return err
	}
	if err := ShareExpressions(ctx, d, t); err != nil {
		return err
	}
	if later && !t.Kept() {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot create index on partitioned table %q concurrently",
			t.Name)
	}
	if tree.Only && !t.Kept() {
		return Partitions{d}.OfParentOnly(ctx, t, x)
	}
	if x.Space.In != nil {
		if t, err = (ddl.Hosts{Definer: d.Definer}).OfIndex(ctx, b.Host(t), t, x.Space); err != nil {
			return err
		}
	}
	if later {
		return d.createLater(ctx, t, x)
	}
	return d.addIndex(ctx, t, x)
}

// addIndex fills an index and puts it into the schema.
func (d *Definer) addIndex(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	declared := *x
	out, known, err := d.Fill(ctx, t, x)
	if err != nil {
		return err
	}
	return d.adviseIndex(out, &declared, known)
}
