package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/inverted"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// withElements is a table with the column of elements that an index of some method needs.
func withElements(t *catalog.Table, m catalog.Method) *catalog.Table {
	if !m.Inverted() || t.Ordinal(catalog.Element) >= 0 {
		return t
	}
	out := *t
	out.Columns = append(slices.Clip(t.Columns),
		catalog.Column{ID: catalog.Element, Name: "_element", Type: types.Bytea, Hidden: true})
	return &out
}

// layOutInverted lays out an index over the elements of columns.
func layOutInverted(b Builder, x *catalog.Index, t *catalog.Table, s *ast.CreateIndex, o *keyOptions) error {
	if err := clausesOf(s); err != nil {
		return err
	}
	var key []catalog.KeyColumn
	for _, k := range s.Keys {
		column, class, err := invertedKey(b, t, s.Method, k)
		if err != nil {
			return err
		}
		key, x.Classes = append(key, catalog.KeyColumn{ID: column}), append(x.Classes, class)
	}
	if err := b.layOutIndex(x, t, []catalog.Part{{Column: catalog.Element}}, o); err != nil {
		return err
	}
	x.Layout.Key = key
	return nil
}

// invertedKey is a column whose elements have entries, with its operator class.
func invertedKey(b Builder, t *catalog.Table, method string, k ast.KeyPart) (column uint32, class string, err error) {
	i := t.Column(k.Column)
	if i < 0 || t.Columns[i].Hidden && k.Expr == nil {
		return 0, "", sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", k.Column).At(int(k.Pos))
	}
	name := k.OpClass
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		name = name[at+1:]
	}
	found, err := inverted.Choose(method, name, t.Columns[i].Type)
	if err != nil {
		return 0, "", err
	}
	if found.Extension != "" && b.Catalog.Extension(found.Extension) == nil {
		return 0, "", sqlerr.New(sqlerr.UndefinedObject, "operator class %q does not exist for access method %q",
			k.OpClass, method).WithHint("CREATE EXTENSION %s makes it.", expr.QuoteIdent(found.Extension))
	}
	return t.Columns[i].ID, found.Name, nil
}

// reclassed is a table with the operator classes for the type that a column has now: those that were named, or else the
// default ones.
func reclassed(t *catalog.Table, column uint32) (*catalog.Table, error) {
	out := *t
	out.Indexes = slices.Clone(t.Indexes)
	for i := range out.Indexes {
		x := &out.Indexes[i]
		if !x.Method.Inverted() {
			continue
		}
		x.Classes = slices.Clone(x.Classes)
		for j, k := range x.Layout.Key {
			if k.ID != column {
				continue
			}
			name := x.Classes[j]
			if inverted.Of(x, j).Default {
				name = ""
			}
			class, err := inverted.Choose(string(x.Method), name, t.Columns[t.Ordinal(column)].Type)
			if err != nil {
				return nil, err
			}
			x.Classes[j] = class.Name
		}
	}
	return &out, nil
}
