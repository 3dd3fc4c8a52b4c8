package types_test

import (
	"testing"

	"zproxy/types"
)

// TestStoredRows reads rows that stores kept under earlier attributes of their type, in the form of the embedded store
// and as texts.
func TestStoredRows(t *testing.T) {
	row, array := types.RowOID(7)
	define := func(numbers ...uint32) types.T {
		all := []types.T{types.Int4, types.Text, types.Int8, types.Bool}
		d := &types.Definition{Name: "pt"}
		for _, n := range numbers {
			d.Names, d.Types = append(d.Names, "f"), append(d.Types, all[n-1])
		}
		d.SetNumbers(numbers)
		return types.T{OID: row, Mod: -1, Def: d}
	}
	arrays := func(t types.T) types.T { return types.T{OID: array, Mod: -1, Def: t.Def} }
	keys := &types.Env{Keys: true}
	for _, c := range []struct {
		then        types.T
		text, kept  string
		now         types.T
		want, wants string
	}{
		{define(1, 2, 3), "(1,a,3)", "(1,a,3)", define(1, 3), "(1,3)", `{"(1,3)",NULL}`},
		{define(1, 2, 3), "(1,a,3)", "(1,a,3)", define(3, 4), "(3,)", `{"(3,)",NULL}`},
		{define(1, 3), "(1,3)", "(1,,3)", define(1, 3, 4), "(1,3,)", `{"(1,3,)",NULL}`},
		{define(2), "(a)", "(,a)", define(4), "()", "{(),NULL}"},
		{define(2, 4), "(a,t)", "(,a,,t)", define(2, 4), "(a,t)", `{"(a,t)",NULL}`},
		{define(1, 2), "(1,a)", "(1,a)", define(), "()", "{(),NULL}"},
	} {
		v, err := types.ParseText(c.text, c.then, nil)
		if err != nil {
			t.Fatal(err)
		}
		stored := c.then.Stored(v)
		kept := types.FormatText(stored, c.then, keys)
		if kept != c.kept {
			t.Errorf("%s is kept as %s, not %s", c.text, kept, c.kept)
		}
		if got := types.FormatText(c.now.Labelled(stored), c.now, nil); got != c.want {
			t.Errorf("%s is read as %s, not %s", c.kept, got, c.want)
		}
		if v, err = types.ParseText(kept, c.now, keys); err != nil {
			t.Fatal(err)
		}
		if got := types.FormatText(v, c.now, nil); got != c.want {
			t.Errorf("the text %s is read as %s, not %s", c.kept, got, c.want)
		}
		if got := types.FormatText(c.now.Labelled(c.now.Stored(v)), c.now, nil); got != c.want {
			t.Errorf("%s is read again as %s, not %s", c.want, got, c.want)
		}
		list := arrays(c.then).Stored(types.NewItems(row, []types.Value{c.then.Labelled(stored), types.Null}))
		if got := types.FormatText(arrays(c.now).Labelled(list), arrays(c.now), nil); got != c.wants {
			t.Errorf("an array with %s is read as %s, not %s", c.kept, got, c.wants)
		}
	}
}
