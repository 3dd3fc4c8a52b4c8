package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// largeObjects runs what statements do with large objects, which change nothing of the schema.
type largeObjects struct{ *Definer }

// schemaFor is the catalog for a statement about objects of a kind, which changes it, unless they are large objects.
func (d owners) schemaFor(ctx context.Context, kind ast.ObjectKind) (*catalog.Snapshot, error) {
	if kind == ast.LargeObject {
		_, err := d.Txn.Store(ctx, true)
		return d.Schema(), err
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return nil, err
	}
	return change.Snap, nil
}

// named finds a large object by its number.
func (d largeObjects) named(ctx context.Context, n ast.Name) (*catalog.LargeObject, error) {
	v, err := types.ParseText(n.Name, types.T{OID: types.OIDOID}, d.Env)
	if err != nil {
		return nil, err
	}
	id := uint32(v.Int())
	all, err := cluster.LargeObjects(ctx, d.Txn, true)
	if err != nil {
		return nil, err
	}
	x, err := all.Find(ctx, id, false)
	if err == nil && x == nil {
		err = sqlerr.New(sqlerr.UndefinedObject, "large object %d does not exist", id)
	}
	return x, err
}

// put keeps what is said of a large object.
func (d largeObjects) put(ctx context.Context, x *catalog.LargeObject) error {
	all, err := cluster.LargeObjects(ctx, d.Txn, true)
	if err != nil {
		return err
	}
	return all.Put(x)
}

// comment runs COMMENT ON LARGE OBJECT.
func (d largeObjects) comment(ctx context.Context, n ast.Name, text string) error {
	x, err := d.named(ctx, n)
	if err != nil {
		return err
	}
	if err := d.MustOwn(d.Schema(), x); err != nil {
		return err
	}
	x.Comment = text
	return d.put(ctx, x)
}

// keep keeps an object with other rights.
func (d owners) keep(ctx context.Context, o catalog.Owned) error {
	if x, ok := o.(*catalog.LargeObject); ok {
		return largeObjects(d).put(ctx, x)
	}
	return d.Txn.Put(ctx, o)
}
