package curve

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/types"
)

// texts are n of a pattern with a number in it.
func texts(n int, pattern string) (out []types.Value) {
	for i := range n {
		out = append(out, types.NewText(strings.ReplaceAll(pattern, "#", fmt.Sprintf("%04d", i*7919%10_000))))
	}
	return out
}

// TestCommonPrefix holds what texts are stripped of.
func TestCommonPrefix(t *testing.T) {
	urls := texts(1000, "http://www.site#.com/")
	for _, c := range []struct {
		name   string
		sample []types.Value
		want   string
	}{
		{"none", nil, ""},
		{"addresses", urls, "http://www."},
		{"addresses and a twentieth of others", slices.Concat(urls[:950], texts(50, "ftp://#")), "http://www."},
		{"addresses and more others", slices.Concat(urls[:940], texts(60, "ftp://#")), ""},
		{"secure ones among them", slices.Concat(urls[:500], texts(500, "https://www.site#.com/")), ""},
		{"one text", texts(1000, "http://www.example.com/"), ""},
		{"short ones", texts(1000, "u#"), ""},
		{"those that eight bytes tell apart", texts(1000, "user#"), ""},
		{"those that they do not", texts(1000, "users#"), "u"},
	} {
		got := commonPrefix(c.sample, types.Text)
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := commonPrefix([]types.Value{types.NewInt(1), types.NewInt(2)}, types.Int4); got != nil {
		t.Errorf("of integers %q", got)
	}
}

// TestLearnBehind wants the maps that are learned of texts to go by what follows their prefix, raw ones to stay as they
// are, and a prefix to be forgotten with the map.
func TestLearnBehind(t *testing.T) {
	known := knownValues{t: types.Text, sample: texts(1000, "http://www.site#.com/")}
	for _, c := range []struct {
		asked catalog.Dimension
		want  string
	}{
		{catalog.Dimension{}, "http://www."},
		{catalog.Dimension{Map: catalog.MapRange}, "http://www."},
		{catalog.Dimension{Map: catalog.MapQuantile, Bits: 64}, "http://www."},
		{catalog.Dimension{Map: catalog.MapRaw}, ""},
		{catalog.Dimension{Map: catalog.MapRaw, Bits: 32}, ""},
		{catalog.Dimension{Bits: 800}, ""},
	} {
		d := c.asked
		learnMap(&d, known)
		if string(d.Prefix) != c.want || (d.Knots == nil) != (c.want == "") {
			t.Errorf("%+v: %q, %d knots", c.asked, d.Prefix, len(d.Knots))
		}
		learnMap(&d, knownValues{t: types.Text})
		if d.Prefix != nil || d.Knots != nil {
			t.Errorf("%+v: anew with no rows %+v", c.asked, d)
		}
	}
}
