package rows

import (
	"testing"

	"zproxy/store"
	"zproxy/types"
)

// TestEnums wants values of enums to have the labels of their column's type, and without a column their own.
func TestEnums(t *testing.T) {
	was, is := types.NewEnum("F", "sad"), types.NewEnum("F", "blue")
	oid, array := types.EnumOID(16384)
	def := &types.Definition{Name: "mood", Labels: types.NewLabels([]types.Value{is})}
	cols := []store.Column{{ID: 1, Type: types.T{OID: oid, Mod: -1, Def: def}},
		{ID: 2, Type: types.T{OID: array, Mod: -1, Def: def}}}
	values := []types.Value{was, types.NewItems(oid, []types.Value{was, types.Null})}
	var d Decoder
	d.Prepare(cols, []int{0, 1})
	row := make(types.Row, 2)
	for range 2 { // also by shape
		if err := d.Decode(row, Append(nil, cols, values)); err != nil {
			t.Fatal(err)
		}
		if row[0].Label() != "blue" || row[1].Array().Items[0].Label() != "blue" || !row[1].Array().Items[1].IsNull() {
			t.Errorf("%q, %q", row[0].Label(), row[1].Array().Items[0].Label())
		}
	}
	for i, v := range values {
		back, rest, err := d.ReadValue(AppendValue(nil, v))
		if err != nil || len(rest) > 0 || !types.Identical(v, back) {
			t.Fatalf("%v, %d bytes more, %v", back, len(rest), err)
		}
		text := types.FormatText(back, cols[i].Type, nil)
		if text != "sad" && text != "{sad,NULL}" {
			t.Error(text)
		}
	}
}
