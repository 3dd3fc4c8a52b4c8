package catalog

import (
	"fmt"
	"strings"

	"zproxy/types"
)

// Describe says how a layout makes keys: partition (c2) sort (c3 DESC) tie (pk).
func (t *Table) Describe(l *Layout) string {
	var out []string
	for _, g := range []struct {
		name  string
		parts []Part
	}{{"partition", l.Partition}, {"sort", l.Sort}, {"tie", l.Tie}} {
		if len(g.parts) == 0 {
			continue
		}
		list := make([]string, len(g.parts))
		for i, p := range g.parts {
			list[i] = t.DescribePart(p)
		}
		out = append(out, g.name+" ("+strings.Join(list, ", ")+")")
	}
	if k := keyKinds(t, l); l.Typed {
		out = append(out, itemKeys(k))
	}
	return strings.Join(out, " ")
}

// itemKeys says what the key attributes of items are that other programs form, in DynamoDB's types.
func itemKeys(of [2]types.Kind) string {
	letter := map[types.Kind]string{types.KindText: "S", types.KindInt: "N"}
	out := "item key (pk " + letter[of[0]]
	if of[1] != types.KindNull {
		out += ", sk " + letter[of[1]]
	}
	return out + ")"
}

// DescribePart says what a part of a key is made of: shard(a, b) of 16, month(at).
func (t *Table) DescribePart(p Part) string { return p.Describe(t) }

// DescribeDimensions says of each dimension of a Z-order index how its values become bits:
// lon: quantile, 32 bits, version 1, -176.2 to 178.4; of texts, url: quantile behind "http://www.". It also
// tells how many bits Z-addresses have. Of other layouts there is nothing to say.
func (t *Table) DescribeDimensions(l *Layout) (out []string, bits int) {
	for _, p := range l.Sort {
		for _, d := range p.Curve {
			how := string(d.Map)
			if d.Map != MapRaw && len(d.Knots) == 0 {
				how += " of nothing yet"
			}
			if len(d.Prefix) > 0 {
				how += fmt.Sprintf(" behind %q", d.Prefix)
			}
			if d.Form != "" {
				how += " of " + d.Form
			}
			text := fmt.Sprintf("%s: %s, %d %s, version %d", t.Source(d.Column).Name, how, d.Bits,
				map[bool]string{true: "bit", false: "bits"}[d.Bits == 1], d.Version)
			if len(d.Knots) > 0 {
				text += ", " + d.Low + " to " + d.High
			}
			out, bits = append(out, text), bits+d.Bits
		}
	}
	return out, bits
}

// TemplateText writes a part as the option partition_key has it: {invoice_number}-{shard}.
// part.Template reads it back as the same part.
func (t *Table) TemplateText(p Part) string { return p.Template(t) }
