package executor

import (
	"context"
	"errors"
	"strings"
	"testing"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// shortKeys is a store with DynamoDB's limits.
var shortKeys = store.Capabilities{MostPartition: 2048, MostSort: 1024}

// TestKeyLength refuses keys that are longer than keys may be, in the table or in an
// index, and leaves alone what is there.
func TestKeyLength(t *testing.T) {
	table := tableOf("id int4, a text, b text", 2)
	index(table, true, "b")
	w := newWorld(t, table)
	w.env.Tables.Store = shortKeys
	long := strings.Repeat("x", 2048)
	const sort = `54000 index row size 1027 exceeds maximum 1024 for index "t_pkey" The sort key is made from "a".`
	const partition = `54000 index row size 2051 exceeds maximum 2048 for index "t_b_idx" The partition key is made from "b".`
	for _, c := range []struct {
		name string
		node plan.Insert
		rows [][]types.Value
		want string
	}{
		{"in bounds", plan.Insert{}, [][]types.Value{row(1, long[:1000], "x")}, "1"},
		{"of the table", plan.Insert{}, [][]types.Value{row(2, "x", "y"), row(3, long[:1024], "z")}, sort},
		{"of an index", plan.Insert{}, [][]types.Value{row(2, "x", long)}, partition},
		{"replace", plan.Insert{Overwrite: true}, [][]types.Value{row(2, "x", long)}, partition},
		{"do nothing", plan.Insert{Conflict: plan.ConflictNothing}, [][]types.Value{row(2, "x", long)}, partition},
		{"a row that is dropped", plan.Insert{Conflict: plan.ConflictNothing}, [][]types.Value{row(2, long, "x")}, "0"},
		{"do update", plan.Insert{Conflict: plan.ConflictUpdate, Primary: true, Set: setTo(2, long)},
			[][]types.Value{row(1, long[:1000], "y")}, partition},
	} {
		if got := w.insert(c.node, c.rows...); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
		if c.want == "1" {
			w.commit()
		}
		w.env.Txn.Rollback()
		w.begin()
	}
	if got := w.write(plan.Update{Table: table, Input: w.wholeScan(), Set: setTo(1, long[:1024])}); got != sort {
		t.Error(got)
	}
	w.env.Txn.Rollback()
	w.begin()
	w.indexesAgree()

	_, _, err := Write(context.Background(),
		plan.Insert{Table: table, Input: valuesOf(table, [][]types.Value{row(2, "x", long)})}, w.env)
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Schema != "public" || e.Table != "t" || e.Constraint != "t_b_idx" || e.Column != "b" ||
		e.Hint == "" {
		t.Errorf("%+v", e)
	}
}

// TestKeyLengthOfStream names the line of a row whose key is too long.
func TestKeyLengthOfStream(t *testing.T) {
	table := tableOf("id text", 1)
	w := newWorld(t, table)
	w.env.Tables.Store = shortKeys
	line, read := int64(0), 0
	w.env.Line = func() int64 { line++; return line }
	w.env.Stream = offer([]any{"a", "b", strings.Repeat("x", 3000), "c"}, nil, &read)
	_, _, err := Write(context.Background(),
		plan.Insert{Table: table, Input: plan.Stream{Cols: plan.TableColumns(table, []int{0})}}, w.env)
	var at *LineError
	if !errors.As(err, &at) || at.Line != 3 ||
		!strings.HasPrefix(shown(err), "54000 index row size 3003 exceeds maximum 2048") {
		t.Errorf("%v", err)
	}
}

// TestKeyLengthOfBuild builds indexes over rows that are there, one of which has no place
// in them.
func TestKeyLengthOfBuild(t *testing.T) {
	ctx := context.Background()
	table := tableOf("id int4, a text", 1)
	w := newWorld(t, table)
	w.insert(plan.Insert{}, row(1, "x"), row(2, strings.Repeat("x", 3000)))
	w.commit()
	w.env.Tables.Store = shortKeys
	for _, unique := range []bool{false, true} {
		with := *table
		x := index(&with, unique, "a")
		w.check(w.store.Create(ctx, with.IndexSpace(x)))
		const want = `54000 index row size 3003 exceeds maximum 2048 for index "t_a_idx" The partition key is made from "a".`
		build := IndexBuild{Tables: w.env.Tables, Table: plan.Indexed{Table: table}, Index: x}
		if err := build.InOwnTxns(ctx, w.store); err == nil || shown(err) != want {
			t.Errorf("unique %t: %v", unique, err)
		}
		if err := build.In(ctx, w.env.Txn); err == nil || shown(err) != want {
			t.Errorf("unique %t, in a transaction: %v", unique, err)
		}
		fill := &Fill{Table: plan.Indexed{Table: table}, Index: x, Most: 10}
		if _, err := fill.Do(ctx, w.env.Txn, w.env.Tables); err == nil || shown(err) != want {
			t.Errorf("unique %t, beside writers: %v", unique, err)
		}
		w.env.Txn.Rollback()
		w.begin()
		if got := w.rows(plan.Scan{Table: &with, Reads: []int{0},
			Access: &plan.Access{Path: plan.Whole{Entries: plan.Entries{Index: x}}},
			Cols:   plan.TableColumns(&with, []int{0})}); got != "" {
			t.Errorf("unique %t: the index has %s", unique, got)
		}
		w.check(w.store.Drop(ctx, with.IndexSpace(x)))
	}
}
