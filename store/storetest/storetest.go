// Package storetest is the contract of package store as tests, which every store runs. What a store does besides the
// contract it tests by itself. Read Run first.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/types"
)

// Lack is a part of the contract that a store need not have.
type Lack string

// What a store may lack.
const (
	// NoSnapshot: reads may see commits that came after Begin.
	NoSnapshot Lack = "reads of one state"
)

// Run tests the stores that open makes. Each test opens one, uses spaces that no other
// test uses, drops them and closes the store.
func Run(t *testing.T, open func(t *testing.T) store.Store, lacks ...Lack) {
	seed := testseed.Of(t)
	ids := new(atomic.Uint64)
	ids.Store(uint64(time.Now().UnixNano()) &^ 0xfff)
	for _, group := range [][]test{readTests, writeTests, streamTests, togetherTests, tuningTests, sizeTests,
		modelTests, nestedTests} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				if slices.Contains(lacks, c.needs) {
					t.Skipf("this store lacks %s", c.needs)
				}
				st := open(t)
				t.Cleanup(func() {
					if err := st.Close(); err != nil && !errors.Is(err, store.ErrClosed) {
						t.Error(err)
					}
				})
				c.run(&env{T: t, Store: st, ids: ids, rng: rand.New(rand.NewPCG(seed, 0)), lacks: lacks})
			})
		}
	}
}

// test is one test, and what a store must not lack to be put to it.
type test struct {
	name  string
	needs Lack
	run   func(e *env)
}

// env is one test under way.
type env struct {
	*testing.T
	store.Store
	ids   *atomic.Uint64
	rng   *rand.Rand
	lacks []Lack
}

var ctx = context.Background()

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e *env) wantErr(what string, err, want error) {
	e.Helper()
	if !errors.Is(err, want) {
		e.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func (e *env) equal(what string, got, want []string) {
	e.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			e.Fatalf("%s: %d rows, want %d; row %d is %.200s, want %.200s", what, len(got), len(want), i, got[i],
				want[i])
		}
	}
	e.Fatalf("%s: rows %.300q, want %.300q", what, got, want)
}

// space creates a space of columns of some types.
func (e *env) space(sorted bool, ts ...types.T) *store.Space {
	e.Helper()
	return e.spaceAs(ts, func(s *store.Space) { s.Sorted = sorted })
}

// spaceAs creates a space of columns of some types, sorted unless change says otherwise.
func (e *env) spaceAs(ts []types.T, change func(s *store.Space)) *store.Space {
	e.Helper()
	id := e.ids.Add(1)
	s := &store.Space{ID: store.SpaceID(id), Name: fmt.Sprintf("storetest_%x", id), Sorted: true}
	for i, t := range ts {
		s.Columns = append(s.Columns, store.Column{ID: uint32(i + 1), Name: fmt.Sprint("c", i+1), Type: t})
	}
	change(s)
	e.must(e.Create(ctx, s))
	e.Cleanup(func() {
		if err := e.Drop(ctx, s); err != nil && !errors.Is(err, store.ErrClosed) {
			e.Error(err)
		}
	})
	return s
}

// named is a space whose items have one text.
func (e *env) named() *store.Space {
	e.Helper()
	return e.space(true, types.Text)
}

func (e *env) begin(m store.Mode) store.Txn {
	e.Helper()
	tx, err := e.Begin(ctx, m)
	e.must(err)
	e.Cleanup(tx.Rollback)
	return tx
}

// do runs one transaction that must succeed.
func (e *env) do(f func(tx store.Txn)) {
	e.Helper()
	tx := e.begin(store.Mode{})
	f(tx)
	e.must(tx.Commit(ctx))
}

// load puts many items into a new space.
func (e *env) load(s *store.Space, items []store.Item) {
	e.Helper()
	tx := e.begin(store.Mode{Bulk: true})
	for _, it := range items {
		e.must(tx.Put(s, it, store.Always))
	}
	e.must(tx.Commit(ctx))
}

func key(partition, sort string) store.Key {
	if sort == "" {
		return store.Key{Partition: []byte(partition)}
	}
	return store.Key{Partition: []byte(partition), Sort: []byte(sort)}
}

func item(partition, sort string, values ...types.Value) store.Item {
	return store.Item{Key: key(partition, sort), Values: values}
}

// entry is an item whose text names its key.
func entry(partition, sort string) store.Item {
	return item(partition, sort, types.NewText(name(partition, sort)))
}

func name(partition, sort string) string { return fmt.Sprintf("%q %q", partition, sort) }

// scan reads all rows of a scan as text, or those that are enough: a batch ends there.
func (e *env) scan(tx store.Txn, s *store.Space, r store.Scan) []string {
	e.Helper()
	if r.Stats == nil {
		r.Stats = &store.Stats{}
	}
	if r.Columns == nil {
		r.Columns = all(s)
	}
	before := *r.Stats
	rows := []string{}
	for batch, err := range tx.Scan(ctx, s, &r) {
		e.must(err)
		for i := range batch.Len() {
			rows = append(rows, show(batch.Row(i)))
		}
		if r.Enough > 0 && len(rows) >= r.Enough {
			break
		}
	}
	e.plausible(before, *r.Stats, len(rows))
	return rows
}

func (e *env) plausible(before, after store.Stats, rows int) {
	e.Helper()
	switch {
	case after.Items-before.Items != int64(rows),
		after.Examined-before.Examined < int64(rows),
		rows > 0 && after.Requests <= before.Requests,
		rows > 0 && after.Bytes <= before.Bytes:
		e.Errorf("stats went from %+v to %+v for %d rows", before, after, rows)
	}
}

// get reads items as text, "none" for one that is not there.
func (e *env) get(tx store.Txn, s *store.Space, keys ...store.Key) []string {
	e.Helper()
	return e.getting(tx, s, store.Get{Keys: keys, Columns: all(s)})
}

func (e *env) getting(tx store.Txn, s *store.Space, g store.Get) []string {
	e.Helper()
	g.Stats = &store.Stats{}
	batch := types.NewBatch(len(g.Columns))
	batch.Add() // Get appends
	there, err := tx.Get(ctx, s, &g, batch)
	e.must(err)
	if len(there) != len(g.Keys) || batch.Len() != len(g.Keys)+1 {
		e.Fatalf("%d answers and %d rows for %d keys", len(there), batch.Len()-1, len(g.Keys))
	}
	rows, found := []string{}, 0
	for i, ok := range there {
		row := batch.Row(i + 1)
		if ok {
			rows = append(rows, show(row))
			found++
			continue
		}
		rows = append(rows, "none")
		if slices.ContainsFunc(row, func(v types.Value) bool { return !v.IsNull() }) {
			e.Errorf("the row of a missing item is %s", show(row))
		}
	}
	if g.Stats.Items < min(1, int64(found)) || g.Stats.Items > int64(found) || g.Stats.Examined < g.Stats.Items {
		e.Errorf("stats %+v for %d items found", *g.Stats, found)
	}
	return rows
}

// now is all rows of a space in a transaction of its own.
func (e *env) now(s *store.Space) []string {
	e.Helper()
	tx := e.begin(store.Mode{ReadOnly: true})
	defer tx.Rollback()
	return e.sorted(e.scan(tx, s, store.Scan{}))
}

// holds checks what a space has, in key order.
func (e *env) holds(what string, s *store.Space, want ...string) {
	e.Helper()
	e.equal(what, e.now(s), e.sorted(slices.Clone(want)))
}

// sorted sorts rows if the store delivers partitions in an order of its own.
func (e *env) sorted(rows []string) []string {
	if !e.Capabilities().OrderedPartitions {
		slices.Sort(rows)
	}
	return rows
}

func all(s *store.Space) []int {
	list := make([]int, len(s.Columns))
	for i := range list {
		list[i] = i
	}
	return list
}

func show(row types.Row) string {
	if len(row) == 1 && row[0].Kind() == types.KindText {
		return row[0].Text()
	}
	parts := []string{}
	for _, v := range row {
		parts = append(parts, Exact(v))
	}
	return strings.Join(parts, ", ")
}

// Exact shows all that a value is, so that 1.0 and 1.00, or -0 and 0, differ.
func Exact(v types.Value) string {
	switch v.Kind() {
	case types.KindNull:
		return "NULL"
	case types.KindFloat:
		return "float " + exactFloat(v.Float())
	case types.KindNumeric:
		d := v.Numeric()
		return fmt.Sprintf("numeric %v %v %v e%d", d.Form, d.Negative, &d.Coeff, d.Exponent)
	case types.KindPoint:
		x, y := v.Point()
		return "point " + exactFloat(x) + " " + exactFloat(y)
	case types.KindUUID:
		return fmt.Sprintf("uuid %x", v.UUID())
	case types.KindArray:
		a := v.Array()
		parts := make([]string, len(a.Items))
		for i, item := range a.Items {
			parts[i] = Exact(item)
		}
		return fmt.Sprintf("array %d %v {%s}", a.Element, a.Dims, strings.Join(parts, ", "))
	case types.KindRange:
		of := v.Range()
		parts := make([]string, len(of.Ranges))
		for i := range parts {
			r := &of.Ranges[i]
			parts[i] = fmt.Sprintf("%d %s %s", r.Flags(), Exact(r.Lower.Value), Exact(r.Upper.Value))
		}
		return fmt.Sprintf("range %d %v {%s}", of.Subtype, of.Multi, strings.Join(parts, ", "))
	case types.KindJSONB:
		return "jsonb " + types.FormatText(v, types.JSONB, nil)
	case types.KindText, types.KindBytes, types.KindJSON, types.KindBpchar, types.KindCitext,
		types.KindCollated, types.KindEnum:
		return fmt.Sprintf("%d %q", v.Kind(), v.Text())
	}
	return fmt.Sprintf("%d %d", v.Kind(), v.Int())
}

// exactFloat shows the bits of a float. SQL has one NaN, whatever its bits.
func exactFloat(f float64) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	return fmt.Sprintf("%x", math.Float64bits(f))
}
