package types

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAppend gives all that append to a buffer one with something in it, such as the end of another
// value, which must stay, and must not matter.
func TestAppend(t *testing.T) {
	r := newRand(t)
	env := recordedEnv(t)
	forms := map[string]func(dst []byte, v Value, typ T) []byte{
		"text":   func(dst []byte, v Value, typ T) []byte { return AppendText(dst, v, typ, env) },
		"binary": AppendBinary,
		"key":    func(dst []byte, v Value, _ T) []byte { return AppendKey(dst, v) },
		"json":   func(dst []byte, v Value, typ T) []byte { return AppendAsJSON(dst, v, typ, env) },
	}
	for _, info := range slices.Concat(concrete(), []Info{*InfoOf(OIDRecord), *InfoOf(InfoOf(OIDRecord).Array)}) {
		for range 100 {
			v, typ := randomValue(r, Of(info.OID)), Of(info.OID)
			before := []byte(pickOne(r, "", "lower", "x0.00", "{\"a ", "(1,", "-", "é\\", "12:00:00 ", "\x00\xff"))
			for name, form := range forms {
				alone := form(nil, v, typ)
				if got := form(slices.Clone(before), v, typ); string(got) != string(before)+string(alone) {
					t.Errorf("%s as %s: %q behind %q gives %q", typ, name, alone, before, got)
				}
			}
		}
	}
}

func pickOne(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }
