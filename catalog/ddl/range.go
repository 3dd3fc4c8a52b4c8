package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define/ranges"
	"zproxy/catalog/privilege"
	"zproxy/catalog/routine"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// createRange makes a type of ranges, the type of multiranges of it, and the functions that make values of both.
func (d userTypes) createRange(ctx context.Context, tree *ast.CreateRange) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, err := d.newName(ctx, tree.Name)
	if err != nil {
		return err
	}
	t, name, err := ranges.Type(&d.Planner(change.Snap).Names, tree)
	if err != nil {
		return err
	}
	t.Schema = schema
	t.Rights = privilege.New(change.Snap, t, d.Role)
	several, err := d.multirange(ctx, t, name)
	if err != nil {
		return err
	}
	if t.ID, err = d.newID(ctx); err == nil {
		several.ID, err = d.newID(ctx)
	}
	if err != nil {
		return err
	}
	several.RangeOf, t.Range.Multirange = t.ID, several.ID
	objects := []catalog.Object{t, several}
	for _, f := range routine.Constructors(t, several) {
		if change.Snap.Function(f.Schema, f.Name, f.ArgTypes()) != nil {
			return sqlerr.New(sqlerr.DuplicateFunction, "function \"%s\" already exists with same argument types",
				f.Name)
		}
		id, err := d.NextID(ctx)()
		if err != nil {
			return err
		}
		f.ID = uint32(id)
		t.Range.Constructors = append(t.Range.Constructors, f.ID)
		objects = append(objects, f)
	}
	cast, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	t.Range.Cast = uint32(cast)
	return d.Txn.Put(ctx, objects...)
}

// multirange is the type of multiranges of a new type of ranges, whose name may be given.
func (d userTypes) multirange(ctx context.Context, t *catalog.Type, name *ast.Name) (*catalog.Type, error) {
	snap := d.Txn.Changed().Snap
	out := &catalog.Type{Schema: t.Schema}
	out.Rights = privilege.New(snap, out, d.Role)
	if name != nil {
		var err error
		out.Name = name.Name
		if out.Schema, err = d.newName(ctx, *name); err == nil && out.Schema == t.Schema && out.Name == t.Name {
			err = sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists", name.Name)
		}
		return out, err
	}
	out.Name = t.MultirangeName()
	if typeNameTaken(snap, out.Schema, out.Name) != nil {
		return nil, sqlerr.New(sqlerr.DuplicateObject, "type \"%s\" already exists", out.Name).
			WithDetail("Failed while creating a multirange type for type \"%s\".", t.Name).
			WithHint("You can manually specify a multirange type name using the \"multirange_type_name\" attribute.")
	}
	return out, nil
}

// withRange are what goes with a type of ranges.
func (d *drop) withRange(t *catalog.Type) (out []dependent) {
	if t.Range == nil {
		return nil
	}
	if several := d.snap.TypeByID(t.Range.Multirange); several != nil {
		out = append(out, dependent{Target{Object: several}, true})
	}
	for _, id := range t.Range.Constructors {
		if f := d.snap.FunctionByID(id); f != nil {
			out = append(out, dependent{Target{Object: f}, true})
		}
	}
	return out
}

// wholeOf is the type without which an object is not dropped: of multiranges that of the ranges, of a function that
// makes values their type. nil: it is no such object.
func wholeOf(snap *catalog.Snapshot, o catalog.Object) *catalog.Type {
	switch o := o.(type) {
	case *catalog.Type:
		if o.RangeOf != 0 {
			return snap.TypeByID(o.RangeOf)
		}
	case *catalog.Function:
		t, _ := snap.TypeOf(o.Result.OID)
		of := t
		if t != nil && t.RangeOf != 0 {
			of = snap.TypeByID(t.RangeOf)
		}
		if of != nil && of.Range != nil && slices.Contains(of.Range.Constructors, o.ID) {
			return t
		}
	}
	return nil
}

// overSubtype says whether a type is of ranges over another one.
func overSubtype(t *catalog.Type, one types.OID) bool {
	return t.Range != nil && t.Range.Subtype.Number() == one
}
