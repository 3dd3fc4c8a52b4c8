package executor

import (
	"context"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// equalTexts are, by kind, texts of values that are equal and not identical.
func equalTexts() map[types.Kind][2]string {
	return map[types.Kind][2]string{
		types.KindFloat:    {"0", "-0"},
		types.KindNumeric:  {"1.0", "1.00"},
		types.KindBpchar:   {"a", "a  "},
		types.KindPoint:    {"(0,1)", "(-0,1)"},
		types.KindInterval: {"1 mon", "30 days"},
		types.KindJSONB:    {`{"a": [1.0]}`, `{"a": [1.00]}`},
	}
}

// TestEqualValues updates a column of every type that has equal values which are not identical from
// one to the other. Every copy in an index must follow, and a check must find one that did not.
func TestEqualValues(t *testing.T) {
	count := 0
	for _, info := range types.All() {
		texts, ok := equalTexts()[info.Kind]
		if !ok && info.Element != types.OIDInvalid && info.Category == types.CategoryArray {
			if texts, ok = equalTexts()[types.InfoOf(info.Element).Kind]; ok {
				for i, s := range texts {
					texts[i] = `{"` + strings.ReplaceAll(s, `"`, `\"`) + `"}`
				}
			}
		}
		if !ok || info.Kind == types.KindPoint && info.OID != types.OIDPoint {
			continue
		}
		count++
		t.Run(info.Name, func(t *testing.T) { equalValues(t, types.Of(info.OID), texts) })
	}
	if count < 12 {
		t.Errorf("only %d types were tried", count)
	}
}

func equalValues(t *testing.T, typ types.T, texts [2]string) {
	var v [2]types.Value
	for i, s := range texts {
		var err error
		if v[i], err = types.ParseText(s, typ, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !types.Equal(v[0], v[1]) || types.Identical(v[0], v[1]) {
		t.Fatalf("%q and %q are not equal, or are identical", texts[0], texts[1])
	}
	table := tableOf("id int4, a int4, v int4", 1)
	table.Columns[2].Type = typ
	index(table, false, "a", "+v")
	switch typ.Kind() {
	case types.KindPoint, types.KindJSONB:
	default:
		if e, ok := types.ElementOf(typ); !ok || e.Kind() != types.KindPoint && e.Kind() != types.KindJSONB {
			index(table, false, "v")
			index(table, true, "v", "a")
		}
	}
	w := newWorld(t, table)
	w.insert(plan.Insert{}, []types.Value{value(1), value(7), v[0]})
	w.commit()
	w.begin()
	w.write(plan.Update{Table: table, Input: w.wholeScan(),
		Set: []plan.Assignment{{Column: 2, Value: expr.Const{Value: v[1], T: typ}}}})
	w.commit()
	w.begin()
	for i := range table.Indexes {
		if got := w.copyOf(&table.Indexes[i]); !types.Identical(got, v[1]) {
			t.Errorf("index %s holds %s", table.Indexes[i].Name, types.FormatText(got, typ, nil))
		}
	}
	if got := w.findings(false); got != "" {
		t.Errorf("found behind the update:\n%s", got)
	}
	w.staleEntries(v[0])
	if got, want := w.findings(true), len(table.Indexes); strings.Count(got, " wrong ") != want {
		t.Errorf("of %d stale entries were found:\n%s", want, got)
	}
	if got := w.findings(false); got != "" {
		t.Errorf("found behind the repair:\n%s", got)
	}
}

// copyOf is the value of the last column in the only entry of an index.
func (w *world) copyOf(x *catalog.Index) types.Value {
	w.t.Helper()
	read := scanOf(w.table, whole(plan.Entries{Index: x}))
	read.Reads = []int{2}
	for batch, err := range Run(context.Background(), read, w.env) {
		w.check(err)
		if batch.Len() > 0 {
			return batch.Row(0)[0]
		}
	}
	w.t.Fatalf("index %s has no entry", x.Name)
	return types.Null
}

// staleEntries puts entries of the only row with another value.
func (w *world) staleEntries(v types.Value) {
	w.t.Helper()
	p, err := w.env.Tables.of(w.table)
	w.check(err)
	r := []types.Value{value(1), value(7), v}
	for _, l := range p.layouts[1:] {
		w.check(w.env.Txn.Put(l.space, store.Item{Key: l.codec.Key(r), Values: l.item(nil, r)}, store.Always))
	}
}
