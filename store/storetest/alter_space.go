package storetest

import (
	"slices"
	"time"

	"zproxy/store"
	"zproxy/types"
)

// tuningTests are about spaces that are kept in another way than the store's own. A store that
// takes no notice of Capacity and Expiry keeps them nevertheless.
var tuningTests = []test{
	{name: "capacities", run: testCapacities},
	{name: "items that come due", run: testExpiry},
}

// alterSpace makes a space what s says, twice, where the store can.
func (e *env) alterSpace(s *store.Space) {
	e.Helper()
	alterer, ok := e.Store.(store.SpaceAlterer)
	if !ok {
		return
	}
	for range 2 {
		e.must(alterer.AlterSpace(ctx, s))
	}
}

// testCapacities takes a space through capacities, and back, and makes spaces that have them at once.
// Items stay, and are read and written as before.
func testCapacities(e *env) {
	capacities := []store.Capacity{
		{ReadUnits: 50, WriteUnits: 40}, {ReadUnits: 50, WriteUnits: 60}, {MostReadUnits: 1000, MostWriteUnits: 500},
		{MostReadUnits: 900, MostWriteUnits: 500}, {},
	}
	s := e.named()
	var want []string
	for i, c := range capacities {
		s.Capacity = c
		e.alterSpace(s)
		e.do(func(tx store.Txn) { e.must(tx.Put(s, text("p", number(i), number(i)), store.Absent)) })
		want = append(want, number(i))
		e.holds("as it is kept now", s, want...)
	}
	for _, c := range capacities {
		made := e.spaceAs([]types.T{types.Text}, func(s *store.Space) { s.Capacity = c })
		e.must(e.Create(ctx, made)) // again, as when the answer was lost
		e.do(func(tx store.Txn) { e.must(tx.Put(made, text("p", "k", "made"), store.Absent)) })
		e.holds("made so", made, "made")
	}
}

// testExpiry gives a space a rule, another one and none. What is not due stays, whether its value is late,
// missing or infinite, and so does what was written under another rule or is to stay. What is due
// may be there or not.
func testExpiry(e *env) {
	s := e.spaceAs([]types.T{types.Text, types.Timestamptz}, func(s *store.Space) {
		s.Expiry = &store.Expiry{Column: 1, After: 3_600_000_000}
	})
	forever, err := types.ParseText("infinity", types.Timestamptz, nil)
	e.must(err)
	now := types.TimestampAt(time.Now())
	put := func(name string, at types.Value) {
		e.do(func(tx store.Txn) {
			e.must(tx.Put(s, item("p", name, types.NewText(name), at), store.Absent))
		})
	}
	put("a none", types.Null)
	put("b never", forever)
	put("c in an hour", now)
	s.Expiry = &store.Expiry{Column: 1, After: 60_000_000, Number: 1}
	e.alterSpace(s)
	put("d in a minute", now)
	s.Expiry = &store.Expiry{Column: store.NoColumn, Number: 1}
	e.alterSpace(s)
	put("e told nothing", types.TimestampAt(time.Unix(0, 0)))
	s.Expiry = nil
	e.alterSpace(s)
	e.alterSpace(s)
	put("f without a rule", types.TimestampAt(time.Unix(0, 0)))
	s.Expiry = &store.Expiry{Column: 1, After: 1, Number: 2}
	e.alterSpace(s)
	put("g due", types.TimestampAt(time.Unix(0, 0)))
	tx := e.begin(store.Mode{})
	rows := e.scan(tx, s, store.Scan{Range: store.Range{Partition: []byte("p")}, Columns: []int{0}})
	rows = slices.DeleteFunc(rows, func(r string) bool { return r == "g due" })
	e.equal("what is not due", rows, []string{"a none", "b never", "c in an hour", "d in a minute", "e told nothing",
		"f without a rule"})
}
