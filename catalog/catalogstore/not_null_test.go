package catalogstore

import (
	"reflect"
	"strings"
	"testing"

	"zproxy/catalog"
)

// TestNotNullOfBefore reads a partial index as it was kept when its condition was nothing but a
// list of columns.
func TestNotNullOfBefore(t *testing.T) {
	table := testTable()
	table.Columns[1].Name = `b"`
	table.Indexes = []catalog.Index{{ID: 9, Name: "all"}, {ID: 10, Name: "x"}}
	body, err := encode(table)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(body, `"Name":"x",`, `"Name":"x","NotNull":[1,2],`, 1)
	o, err := decode(kindTable, old)
	if err != nil {
		t.Fatal(err)
	}
	got := o.(*catalog.Table).Indexes
	want := &catalog.Condition{
		Text: `"a" IS NOT NULL AND "b""" IS NOT NULL`, NotNull: []uint32{1, 2},
		Over: catalog.Use{ID: table.ID, Schema: table.Schema, Name: table.Name,
			Columns: []catalog.Bound{{ID: 1, Name: "a"}, {ID: 2, Name: `b"`}}},
	}
	if got[0].Where != nil || !reflect.DeepEqual(got[1].Where, want) {
		t.Errorf("%+v, %+v", got[0].Where, got[1].Where)
	}
}
