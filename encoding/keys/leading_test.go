package keys_test

import (
	"bytes"
	"testing"

	"zproxy/encoding/keys"
	"zproxy/internal/plantest"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestLeading wants keys of rows to begin with the same bytes where they have the same values, and no others.
func TestLeading(t *testing.T) {
	var s plantest.Schema
	if err := s.Define("CREATE TABLE t (a text, b int, c int, PRIMARY KEY (a, b DESC, c))"); err != nil {
		t.Fatal(err)
	}
	n, err := s.Plan("SELECT a FROM t")
	if err != nil {
		t.Fatal(err)
	}
	table := n.(plan.Project).Input.(plan.Scan).Table
	codec, err := keys.NewCodec(table, &table.Primary)
	if err != nil {
		t.Fatal(err)
	}
	leading := func(a string, b, c int64, parts int) []byte {
		k := codec.Key(types.Row{types.NewText(a), types.NewInt(b), types.NewInt(c)})
		key := append(bytes.Clone(k.Partition), k.Sort...)
		return key[:codec.Leading(key, parts, true)]
	}
	for _, c := range []struct {
		a, b []byte
		same bool
	}{
		{leading("x", 1, 5, 1), leading("x", 2, 6, 1), true},
		{leading("x", 1, 5, 1), leading("xy", 1, 5, 1), false},
		{leading("x", 1, 5, 2), leading("x", 2, 5, 2), false},
		{leading("x", 1, 5, 2), leading("x", 1, 6, 2), true},
		{leading("x", 1, 5, 3), leading("x", 1, 6, 3), false},
	} {
		if bytes.Equal(c.a, c.b) != c.same {
			t.Errorf("%x and %x", c.a, c.b)
		}
	}
}
