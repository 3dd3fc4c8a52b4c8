package catalog

import (
	"fmt"
	"strconv"
	"strings"
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
	return strings.Join(out, " ")
}

// DescribePart says what a part of a key is made of: shard(a, b) of 16, month(at).
func (t *Table) DescribePart(p Part) string {
	switch p.Kind {
	case ZAddressPart:
		if p.Count > 0 {
			return "top " + strconv.Itoa(p.Count) + " bits of the z-address"
		}
		return t.describeCurve(p.Curve)
	case ShardPart:
		return "shard(" + t.names(p.Of) + ") of " + strconv.Itoa(p.Count)
	case BucketPart:
		if p.Format != "" {
			return "to_char(" + t.names(p.Columns()) + ", '" + p.Format + "')"
		}
		return string(p.Unit) + "(" + t.names(p.Columns()) + ")"
	case PrefixPart, TextPart, LiteralPart:
		return "'" + strings.ReplaceAll(t.TemplateText(p), "'", "''") + "'"
	}
	if p.Count > 0 {
		return "random shard of " + strconv.Itoa(p.Count)
	}
	if p.Desc {
		return t.names(p.Columns()) + " DESC"
	}
	return t.names(p.Columns())
}

func (t *Table) names(ids []uint32) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		if at := t.Ordinal(id); at >= 0 {
			names[i] = t.Columns[at].Name
		}
	}
	return strings.Join(names, ", ")
}

func (t *Table) describeCurve(curve []Dimension) string {
	list := make([]string, len(curve))
	for i, d := range curve {
		list[i] = t.names([]uint32{d.Column}) + " " + strconv.Itoa(d.Bits) + " bits"
		if d.Map != "" {
			list[i] += fmt.Sprintf(" %s map", d.Map)
		}
		if len(d.Knots) > 0 {
			list[i] += fmt.Sprintf(" version %d of %d knots", d.Version, len(d.Knots))
		}
	}
	return "zaddress(" + strings.Join(list, ", ") + ")"
}

// DescribeDimensions says of each dimension of a Z-order index how its values become bits:
// lon: quantile, 32 bits, version 1, -176.2 to 178.4. It also tells how many bits Z-addresses
// have. Of other layouts there is nothing to say.
func (t *Table) DescribeDimensions(l *Layout) (out []string, bits int) {
	for _, p := range l.Sort {
		for _, d := range p.Curve {
			how := string(d.Map)
			if d.Map != MapRaw && len(d.Knots) == 0 {
				how += " of nothing yet"
			}
			text := fmt.Sprintf("%s: %s, %d %s, version %d", t.names([]uint32{d.Column}), how, d.Bits, map[bool]string{true: "bit", false: "bits"}[d.Bits == 1], d.Version)
			if len(d.Knots) > 0 {
				text += ", " + d.Low + " to " + d.High
			}
			out, bits = append(out, text), bits+d.Bits
		}
	}
	return out, bits
}

// TemplateText writes a part as the option partition_key has it: {invoice_number}-{shard}.
// The planner reads it back as the same part.
func (t *Table) TemplateText(p Part) string {
	hole := func(what, format string) string {
		if format != "" {
			what += ":" + format
		}
		return "{" + what + "}"
	}
	width := ""
	if p.Width > 0 {
		width = "0" + strconv.Itoa(p.Width)
	}
	switch p.Kind {
	case LiteralPart:
		return strings.NewReplacer("{", "{{", "}", "}}").Replace(p.Text)
	case ShardPart:
		return hole("shard", width)
	case BucketPart:
		return hole(t.templateName(p.Column), p.Format)
	case PrefixPart:
		list := make([]string, len(p.Pieces))
		for i, piece := range p.Pieces {
			if list[i] = t.templateName(piece.Column); piece.Kind == LiteralPart {
				list[i] = quoteLiteral(piece.Text)
			}
		}
		return hole("md5("+strings.Join(list, " || ")+")", strconv.Itoa(p.Count))
	case TextPart:
		var b strings.Builder
		for _, piece := range p.Pieces {
			b.WriteString(t.TemplateText(piece))
		}
		return b.String()
	}
	if p.Count > 0 {
		return hole("shard", width)
	}
	return hole(t.templateName(p.Column), width)
}

// templateName is a column's name as a template has it: in quotes if it would be read as
// another name, or as something else.
func (t *Table) templateName(id uint32) string {
	name := t.names([]uint32{id})
	plain := name != "" && name != "shard" && (name[0] < '0' || name[0] > '9')
	for _, c := range name {
		plain = plain && (c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9')
	}
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// quoteLiteral writes a text as SQL does; one with control characters as E'\n'.
func quoteLiteral(text string) string {
	quoted := strings.ReplaceAll(text, "'", "''")
	if strings.ContainsAny(text, "\n\t\r\\") {
		return "E'" + strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t", "\r", "\\r").Replace(quoted) + "'"
	}
	return "'" + quoted + "'"
}
