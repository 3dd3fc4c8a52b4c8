package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// AddField is a composite type with one more attribute.
func AddField(b Builder, t *catalog.Type, d ast.ColumnDef) (*catalog.Type, error) {
	typ, err := fieldType(b, t, d)
	if err != nil {
		return nil, err
	}
	row, _ := t.OIDs()
	if err := keepsKeys(b.Catalog, row, typ); err != nil {
		return nil, err
	}
	out := *t
	out.Version++
	out.NextField++
	out.Fields = append(slices.Clip(t.Fields), catalog.Field{ID: out.NextField, Name: d.Name, Type: typ})
	return &out, nil
}

// fieldType is the type of a new attribute, or the new one of an attribute.
func fieldType(b Builder, t *catalog.Type, d ast.ColumnDef) (types.T, error) {
	d.Type.Pos = -1
	typ, err := b.storedType(d.Type)
	if err != nil {
		return typ, err
	}
	if info := types.InfoOf(typ.OID); info.Category == types.CategoryPseudo {
		return typ, sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", d.Name, typ)
	}
	d.Collation.Pos = -1
	if typ, err = collated(b, d.Collation, typ); err != nil {
		return typ, err
	}
	if one, _ := t.OIDs(); t.ID != 0 && contains(typ, one) {
		return typ, sqlerr.New(sqlerr.InvalidTableDefinition, "composite type %s cannot be made a member of itself",
			t.Name)
	}
	typ.Def = nil // it is looked up anew
	return typ, nil
}

// RetypeField gives an attribute of a composite type another type.
func RetypeField(b Builder, t *catalog.Type, at int, d ast.ColumnDef) (*catalog.Type, error) {
	typ, err := fieldType(b, t, d)
	if err != nil {
		return nil, err
	}
	out := *t
	out.Version++
	out.Fields = slices.Clone(t.Fields)
	out.Fields[at].Type = typ
	return &out, nil
}

// contains says whether values of a type are of another one, or have such inside.
func contains(t types.T, other types.OID) bool {
	if t.OID == other || t.Number() == other {
		return true
	}
	if element, ok := types.ElementOf(t); ok {
		return contains(element, other)
	}
	if r := t.Range(); r != nil {
		return contains(r.Subtype, other)
	}
	return t.IsComposite() && t.Def != nil && slices.ContainsFunc(t.Def.Types, func(field types.T) bool {
		return contains(field, other)
	})
}
