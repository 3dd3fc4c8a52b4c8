package id

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/datetime"
	"zproxy/expr/builtin/pg"
	"zproxy/internal/testseed"
	"zproxy/types"
	"zproxy/types/interval"
)

// TestBitReverse reverses numbers twice, which gives them back; so no two have one reverse.
func TestBitReverse(t *testing.T) {
	seed := testseed.Of(t)
	r := rand.New(rand.NewPCG(seed, 0))
	reverse := map[string]func(n int64) int64{
		"int4": func(n int64) int64 { v, _ := reverse4(nil, types.NewInt(int64(int32(n)))); return v.Int() },
		"int8": func(n int64) int64 { v, _ := reverse8(nil, types.NewInt(n)); return v.Int() },
		"with sign": func(n int64) int64 {
			v, _ := reverseSigned(nil, types.NewInt(n), types.NewBool(true))
			return v.Int()
		},
	}
	for range 1000 {
		n := int64(r.Uint64())
		for name, f := range reverse {
			want := n
			if name == "int4" {
				want = int64(int32(n))
			}
			if got := f(f(n)); got != want {
				t.Fatalf("seed %d, %s: twice the reverse of %d is %d", seed, name, want, got)
			}
		}
		if reversed := reverse["with sign"](n); (reversed < 0) != (n < 0) {
			t.Fatalf("seed %d: %d changes its sign: %d", seed, n, reversed)
		}
		if reversed := reverse["int4"](n); reversed != int64(int32(reversed)) {
			t.Fatalf("seed %d: %d is no int4", seed, reversed)
		}
	}
	// numbers in sequence go to different quarters of all there are
	quarters := map[int64]bool{}
	for n := range int64(4) {
		quarters[reverse["int8"](n)>>62] = true
	}
	if len(quarters) != 4 {
		t.Errorf("four numbers in sequence went to the quarters %v", quarters)
	}
}

// TestUUIDOrder makes uuids of version 7 from several goroutines: each sees its own in order,
// and all differ in the part that is the time.
func TestUUIDOrder(t *testing.T) {
	var clock expr.IDClock
	made := make([][][]byte, 4)
	var group sync.WaitGroup
	for i := range made {
		group.Go(func() {
			c := &expr.Context{IDs: &clock}
			for range 2000 {
				v, err := uuidOfNow(c)
				if err != nil {
					t.Error(err)
					return
				}
				u := v.UUID()
				made[i] = append(made[i], u[:])
			}
		})
	}
	group.Wait()
	var times [][]byte
	for _, ids := range made {
		if !slices.IsSortedFunc(ids, bytes.Compare) {
			t.Error("uuids of one goroutine are not in order")
		}
		for _, id := range ids {
			times = append(times, id[:8])
		}
	}
	slices.SortFunc(times, bytes.Compare)
	if n := len(slices.CompactFunc(times, bytes.Equal)); n != 8000 {
		t.Errorf("8000 uuids have %d times", n)
	}
}

// TestUUIDParts reads the examples of RFC 9562.
func TestUUIDParts(t *testing.T) {
	c := &expr.Context{Env: &types.Env{Location: time.UTC}}
	for _, test := range []struct{ id, version, at string }{
		{"C232AB00-9414-11EC-B3C8-9F6BDECED846", "1", "2022-02-22 19:22:22+00"},
		{"017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "7", "2022-02-22 19:22:22+00"},
		{"919108f7-52d1-4320-9bac-f847db4148a8", "4", "NULL"},
		{"00000000-0000-0000-0000-000000000000", "NULL", "NULL"},
		{"017F22E2-79B0-7CC3-18C4-DC0C0C07398F", "NULL", "NULL"}, // another variant
	} {
		id, err := types.ParseText(test.id, types.Of(pg.UUID), c.Env)
		if err != nil {
			t.Fatal(err)
		}
		version, _ := uuidVersion(c, id)
		at, _ := uuidTime(c, id)
		if v, w := shown(version, pg.Int2, c), shown(at, pg.Timestamptz, c); v != test.version || w != test.at {
			t.Errorf("%s: version %s, time %s", test.id, v, w)
		}
	}
}

// shown is the text of a value of a type.
func shown(v types.Value, oid types.OID, c *expr.Context) string {
	if v.IsNull() {
		return "NULL"
	}
	return types.FormatText(v, types.Of(oid), c.Env)
}

// TestUUIDShift moves the time of a uuid, and refuses times that it has no bits for.
func TestUUIDShift(t *testing.T) {
	c := &expr.Context{Env: &types.Env{Location: time.UTC}}
	before := time.Now().UnixMilli()
	v, err := uuidOfShifted(c, types.NewInterval(interval.Interval{Micros: 3600 * datetime.SecondMicros}))
	if err != nil {
		t.Fatal(err)
	}
	at, _ := uuidTime(c, v)
	if moved := at.Micros()/1000 + datetime.Epoch2000*1000 - before - 3600*1000; moved < 0 || moved > 60_000 {
		t.Errorf("%d milliseconds off", moved)
	}
	if _, err := uuidOfShifted(c, types.NewInterval(interval.Interval{Months: -12 * 100})); err == nil {
		t.Error("a uuid of a time before 1970")
	}
}
