package catalogstore

import (
	"context"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// readers read all kinds of items, in the ways there are.
var readers = map[string]func(context.Context, store.Txn) error{
	"objects":       func(ctx context.Context, txn store.Txn) error { _, err := Load(ctx, txn); return err },
	"id":            func(ctx context.Context, txn store.Txn) error { _, err := NextID(ctx, txn); return err },
	"agreed":        func(ctx context.Context, txn store.Txn) error { _, err := ReadAgreed(ctx, txn); return err },
	"member":        func(ctx context.Context, txn store.Txn) error { _, _, err := ReadMember(ctx, txn, 5); return err },
	"members":       func(ctx context.Context, txn store.Txn) error { _, err := Members(ctx, txn); return err },
	"pending drops": func(ctx context.Context, txn store.Txn) error { _, err := PendingDrops(ctx, txn); return err },
	"build":         func(ctx context.Context, txn store.Txn) error { _, err := ReadBuild(ctx, txn, 5); return err },
	"builds":        func(ctx context.Context, txn store.Txn) error { _, err := Builds(ctx, txn); return err },
	"state": func(ctx context.Context, txn store.Txn) error {
		_, err := ReadState(ctx, txn, &catalog.Sequence{State: 5})
		return err
	},
}

// TestDamage reads items that no version has written so. What sees that says so, and what does not see it is not
// harmed.
func TestDamage(t *testing.T) {
	unread := []types.Value{types.Null, types.NewText(""), types.NewText("x"), types.NewText("{"), types.NewText(`"x"`)}
	odd := []string{"null", "{}", "[]", "7", "-1", `{"Columns":7}`, `{"Missing":{"9":"x"}}`,
		`{"Columns":[{}],"Indexes":[{}]}`, `{"Indexes":[{"NotNull":[1]}]}`}
	bodies := slices.Clone(unread)
	for _, text := range odd {
		bodies = append(bodies, types.NewText(text))
	}
	kinds := map[string]uint64{
		kindTable: 5, kindView: 5, kindSequence: 5, kindSchema: 5, kindRole: 5, kindDatabase: 5, kindCounter: 0,
		kindStats: 20000, kindState: 5, kindBuild: 5,
		kindAgreed: 0, kindMember: 5, kindPendingDrop: 5,
	}
	for kind, id := range kinds {
		for i, body := range bodies {
			st := open(t)
			txn := begin(t, st)
			if err := Put(txn, catalog.DatabaseID, testTable()); err != nil {
				t.Fatal(err)
			}
			if err := txn.Put(space, itemOf(kind, id, body, types.Null), store.Always); err != nil {
				t.Fatal(err)
			}
			commit(t, txn)
			seen := false
			for name, read := range readers {
				err := read(t.Context(), begin(t, st))
				if seen = seen || err != nil; err != nil && !sqlerr.Has(err, sqlerr.DataCorrupted) {
					t.Errorf("%s %q: reader of %s: %v", kind, body.Text(), name, err)
				}
			}
			if !seen && i < len(unread) {
				t.Errorf("%s %q: no reader sees that it is damaged", kind, body.Text())
			}
		}
	}
}
