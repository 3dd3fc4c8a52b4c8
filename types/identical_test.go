package types_test

import (
	"bytes"
	"testing"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/types"
)

// TestIdentical holds Identical against the bytes in which rows keep values of every type, and OneForm against both.
func TestIdentical(t *testing.T) {
	r := types.NewRand(t)
	varied := map[types.Kind]bool{}
	for _, info := range types.Concrete() {
		typ := types.Of(info.OID)
		if typ.OID == types.OIDJSONPath || info.Element == types.OIDJSONPath || info.Category == types.CategoryPseudo {
			continue // no column is of such a type
		}
		stored := func(v types.Value) []byte {
			return rows.Append(nil, []store.Column{{ID: 1, Type: typ}}, []types.Value{v})
		}
		pool := []types.Value{types.Null}
		for range 30 {
			v := types.RandomValue(r, typ)
			pool = append(pool, v, types.Vary(r, v), types.Vary(r, v))
		}
		for _, a := range pool {
			for _, b := range pool {
				same := types.Identical(a, b)
				if same != bytes.Equal(stored(a), stored(b)) {
					t.Fatalf("%s: %s and %s: identical is %v", typ, types.FormatText(a, typ, nil),
						types.FormatText(b, typ, nil), same)
				}
				if a.IsNull() || b.IsNull() {
					continue
				}
				if same && !types.Equal(a, b) {
					t.Fatalf("%s: %s is not equal to itself", typ, types.FormatText(a, typ, nil))
				}
				if !same && types.Equal(a, b) {
					if typ.OneForm() {
						t.Fatalf("%s: %s and %s are equal and not identical", typ, types.FormatText(a, typ, nil),
							types.FormatText(b, typ, nil))
					}
					varied[typ.Kind()] = true
				}
			}
		}
	}
	for _, kind := range []types.Kind{types.KindFloat, types.KindNumeric, types.KindPoint, types.KindBpchar,
		types.KindInterval, types.KindArray, types.KindJSONB} {
		if !varied[kind] {
			t.Errorf("no two values of kind %d were equal and not identical", kind)
		}
	}
}
