package keys_test

import (
	"errors"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// scattered is a table with the key (a, b) whose rows are sharded at random.
func scattered(shards int) *catalog.Table {
	return &catalog.Table{
		Name: "t",
		Columns: []catalog.Column{
			{ID: 1, Name: "a", Type: types.Text}, {ID: 2, Name: "b", Type: types.Text},
			{ID: 3, Name: catalog.Shard, Type: types.Int2, Hidden: true, Shards: shards},
		},
		Primary: catalog.Layout{
			Partition: []catalog.Part{{Column: 3, Count: shards}, {Column: 1}}, Sort: []catalog.Part{{Column: 2}},
			Unique: true,
			Key:    []catalog.KeyColumn{{ID: 1}, {ID: 2}},
		},
	}
}

func TestEverywhere(t *testing.T) {
	table := scattered(3)
	c, err := keys.NewCodec(table, &table.Primary)
	if err != nil {
		t.Fatal(err)
	}
	row := types.Row{types.NewText("x"), types.NewText("y"), types.Null}
	all := c.Everywhere(row)
	if len(all) != 3 || !row[2].IsNull() {
		t.Fatalf("%d keys, the row is %v", len(all), row)
	}
	for i, k := range all {
		row[2] = types.NewInt(int64(i))
		if want := c.Key(row); string(k.Partition) != string(want.Partition) || string(k.Sort) != string(want.Sort) {
			t.Errorf("key %d is %x %x, want %x %x", i, k.Partition, k.Sort, want.Partition, want.Sort)
		}
		if first := c.First(row); string(first.Partition) != string(all[0].Partition) ||
			string(first.Sort) != string(all[0].Sort) {
			t.Errorf("the first key of the row at %d is %x %x", i, first.Partition, first.Sort)
		}
	}
	plain := catalog.Layout{Partition: []catalog.Part{{Column: 1}}, Unique: true}
	if c, err = keys.NewCodec(table, &plain); err != nil {
		t.Fatal(err)
	}
	if all := c.Everywhere(row); len(all) != 1 || string(all[0].Partition) != string(c.First(row).Partition) {
		t.Errorf("%d keys where none is random", len(all))
	}
}

func TestCheckLength(t *testing.T) {
	table := scattered(2)
	c, err := keys.NewCodec(table, &table.Primary)
	if err != nil {
		t.Fatal(err)
	}
	long := func(n int) types.Value { return types.NewText(strings.Repeat("x", n)) }
	bare := c.Key(types.Row{long(0), long(0), types.NewInt(0)})
	on := store.Capabilities{MostPartition: 2048, MostSort: 1024}
	a, b := on.MostPartition-len(bare.Partition), on.MostSort-len(bare.Sort)
	for _, q := range []struct {
		a, b   int
		want   string
		column string
	}{
		{a, b, "", ""},
		{a + 1, b, `index row size 2049 exceeds maximum 2048 for index "t_pkey": The partition key is made from "a".`, "a"},
		{a, b + 1, `index row size 1025 exceeds maximum 1024 for index "t_pkey": The sort key is made from "b".`, "b"},
	} {
		row := types.Row{long(q.a), long(q.b), types.NewInt(0)}
		err := c.CheckLength(c.Key(row), on, "t_pkey")
		var e *sqlerr.Error
		switch {
		case err == nil && q.want == "":
		case !errors.As(err, &e):
			t.Errorf("%d and %d bytes: %v", q.a, q.b, err)
		case e.Message+": "+e.Detail != q.want || e.Column != q.column || e.Code != sqlerr.ProgramLimitExceeded ||
			e.Hint == "":
			t.Errorf("%d and %d bytes: %+v", q.a, q.b, e)
		}
	}
}
