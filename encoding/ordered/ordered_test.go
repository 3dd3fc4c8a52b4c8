package ordered

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/testseed"
	"zproxy/internal/valuetest"
	"zproxy/types"
)

func newRand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(testseed.Of(t), 0))
}

// TestValues shows the bytes of values, which stores keep: each line is a value of the type, perhaps in Go's quotes.
// The lines are in the order of the values, and the bytes must be, too.
func TestValues(t *testing.T) {
	datadriven.RunTest(t, "testdata/values", func(t *testing.T, d *datadriven.TestData) string {
		info, ok := types.Lookup(d.Cmd)
		if !ok {
			d.Fatalf(t, "no type %s", d.Cmd)
		}
		typ, desc, last := types.Of(info.OID), d.HasArg("desc"), []byte(nil)
		var out strings.Builder
		for line := range strings.SplitSeq(d.Input, "\n") {
			v, text := types.Null, line
			if text != "NULL" {
				var err error
				if quoted, err := strconv.Unquote(text); err == nil {
					text = quoted
				}
				if v, err = types.ParseText(text, typ, &types.Env{}); err != nil {
					d.Fatalf(t, "%s: %v", text, err)
				}
			}
			enc := Append(nil, v, desc)
			got, rest, err := Decode(enc, typ, desc)
			if err != nil || len(rest) > 0 || valuetest.Compare(got, v, false) != 0 {
				d.Fatalf(t, "%s is read as %v: %v", text, got, err)
			}
			if c := bytes.Compare(last, enc); c > 0 {
				d.Fatalf(t, "%s is below what is above it", text)
			}
			last = enc
			fmt.Fprintf(&out, "%s: % x\n", line, enc)
		}
		return out.String()
	})
}

func allTypes() []types.T { return slices.Concat(valuetest.Types(), valuetest.Composed()) }

func TestEncodingsAreOrderedAsValues(t *testing.T) {
	r := newRand(t)
	for _, typ := range allTypes() {
		for range 3000 {
			a, b, desc := valuetest.Random(r, typ), valuetest.Random(r, typ), r.IntN(2) == 0
			x, y := Append(nil, a, desc), Append(nil, b, desc)
			want := valuetest.Compare(a, b, desc)
			if got := bytes.Compare(x, y); got != want {
				t.Fatalf("%s, descending %t: %x and %x compare as %d, want %d", typ, desc, x, y, got, want)
			}
			if want != 0 && (bytes.HasPrefix(x, y) || bytes.HasPrefix(y, x)) {
				t.Fatalf("%s, descending %t: one of %x and %x begins with the other", typ, desc, x, y)
			}
			if x[0] == 0 || x[0] == 0xff {
				t.Fatalf("%s, descending %t: %x has no neighbours", typ, desc, x)
			}
		}
	}
}

func TestDecodeValueReadsWhatWasAppended(t *testing.T) {
	r := newRand(t)
	for _, typ := range allTypes() {
		for range 1000 {
			v, desc := valuetest.Random(r, typ), r.IntN(2) == 0
			behind := valuetest.Bytes(r)
			enc := Append(nil, v, desc)
			got, rest, err := Decode(slices.Concat(enc, behind), typ, desc)
			if err != nil || got.Kind() != v.Kind() || valuetest.Compare(got, v, false) != 0 ||
				!bytes.Equal(rest, behind) {
				t.Fatalf("%s, descending %t: %x is read as %v, rest %x, %v", typ, desc, enc, got, rest, err)
			}
			if desc {
				continue
			}
			if _, _, err := Decode(enc[:len(enc)-1], typ, desc); err == nil {
				t.Fatalf("%s: %x without its last byte is read", typ, enc)
			}
		}
	}
}

func TestDecodeValueRefusesOtherKinds(t *testing.T) {
	text := Append(nil, types.NewText("a"), false)
	for _, typ := range allTypes() {
		_, _, err := Decode(text, typ, false)
		ok := slices.Contains([]types.Kind{
			types.KindText, types.KindBytes, types.KindBpchar, types.KindCitext,
		}, typ.Kind()) || typ.Kind() == types.KindCollated && !typ.Collation.Order.Deterministic()
		if ok != (err == nil) {
			t.Errorf("a text read as %s: %v", typ, err)
		}
	}
}

// FuzzDecode reads bytes of anybody as values of each type. What can be read is a value that has an encoding, which is
// read as the same value.
func FuzzDecode(f *testing.F) {
	r, all := newRand(f), allTypes()
	for i, typ := range all {
		f.Add(Append(nil, valuetest.Random(r, typ), i%2 == 0), byte(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, key []byte, which byte, desc bool) {
		typ := all[int(which)%len(all)]
		v, rest, err := Decode(key, typ, desc)
		if err != nil {
			return
		}
		if n, err := Len(key, desc); err != nil || n == 0 || n != len(key)-len(rest) {
			t.Errorf("%x has %d bytes (%v), and %d were read", key, n, err, len(key)-len(rest))
		}
		again, rest, err := Decode(Append(nil, v, desc), typ, desc)
		if err != nil || len(rest) > 0 || valuetest.Compare(again, v, false) != 0 {
			t.Errorf("%s %v is read as %v, rest %x, %v", typ, v, again, rest, err)
		}
	})
}

// TestHostileBytes reads bytes that are near to encodings, and any others: none may panic.
func TestHostileBytes(t *testing.T) {
	r := newRand(t)
	for _, typ := range allTypes() {
		for range 3000 {
			desc := r.IntN(2) == 0
			enc := Append(nil, valuetest.Random(r, typ), desc)
			for range 1 + r.IntN(3) {
				enc[r.IntN(len(enc))] = byte(r.Uint32())
			}
			enc = enc[:r.IntN(len(enc)+1)]
			for _, as := range allTypes() {
				v, rest, err := Decode(enc, as, desc)
				if err == nil && (len(rest) >= len(enc) || !v.IsNull() && v.Kind() != as.Kind()) {
					t.Fatalf("%x is read as %v of kind %d, rest %x", enc, v, v.Kind(), rest)
				}
			}
		}
	}
}

// TestFieldsAddedLater reads rows from when their type had fewer fields, which are at the same keys as with NULLs.
func TestFieldsAddedLater(t *testing.T) {
	r := newRand(t)
	for _, typ := range valuetest.Composed() {
		for range 1000 {
			v := valuetest.Random(r, typ)
			if v.Kind() != types.KindRecord {
				continue
			}
			longer := *v.Record()
			longer.Values = append(slices.Clip(longer.Values), types.Null, types.Null)
			for _, desc := range []bool{false, true} {
				a, b := Append(nil, v, desc), Append(nil, types.NewRecord(&longer), desc)
				if !bytes.Equal(a, b) {
					t.Fatalf("%x with more fields is %x", a, b)
				}
			}
		}
	}
}

// TestSuccessor wants the least key above all that begin with a prefix.
func TestSuccessor(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""}, {"\xff", ""}, {"\xff\xff", ""}, {"a", "b"}, {"a\xff", "b"}, {"a\xff\x00", "a\xff\x01"},
	} {
		if got := Successor([]byte(c[0])); string(got) != c[1] || (got == nil) != (c[1] == "") {
			t.Errorf("%x: %x, want %x", c[0], got, c[1])
		}
	}
}
