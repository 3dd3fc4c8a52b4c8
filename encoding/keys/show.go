package keys

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

// appendShown writes a value as keys and spans are shown: texts in double quotes.
func appendShown(dst []byte, v types.Value, t types.T) []byte {
	switch {
	case v.IsNull():
		return append(dst, "NULL"...)
	case v.Kind() == types.KindText, v.Kind() == types.KindBpchar, v.Kind() == types.KindCitext,
		v.Kind() == types.KindCollated:
		dst = append(dst, '"')
		dst = append(dst, strings.ReplaceAll(v.Text(), `"`, `\"`)...)
		return append(dst, '"')
	default:
		return types.AppendText(dst, v, t, &types.Env{})
	}
}

// FormatSpan shows a span with the types of the layout's parts: /"b" is every tuple
// that begins with "b", /"b"/"c" - /"b"/"f" an interval.
func FormatSpan(s span.Span, kinds []types.T) string {
	var prefix []byte
	for i, v := range s.Prefix {
		prefix = appendShown(append(prefix, '/'), v, kinds[i])
	}
	if s.Last == nil {
		if len(prefix) == 0 {
			return "all"
		}
		return string(prefix)
	}
	end := func(v types.Value) string {
		shown := append([]byte(string(prefix)), '/')
		if !v.IsNull() {
			shown = appendShown(shown, v, kinds[len(s.Prefix)])
		}
		return string(shown)
	}
	return end(s.Last.Low) + " - " + end(s.Last.High)
}

// FormatSet shows a set of values: [40.5 - 41], = 7, all, or several of them: = 7 or [9 - 11].
func FormatSet(s span.Set, t types.T) string {
	if s.IsEverything() {
		return "all"
	}
	var list []string
	for i, in := range s.Intervals {
		if i == shownIntervals {
			list = append(list, fmt.Sprintf("... %d more", len(s.Intervals)-i))
			break
		}
		list = append(list, formatInterval(in, t))
	}
	switch {
	case s.Null:
		list = append(list, "NULL")
	case len(list) == 0:
		return "none"
	}
	return strings.Join(list, " or ")
}

// shownIntervals is how many intervals of a set are shown.
const shownIntervals = 5

// formatInterval shows an interval by its ends: [ and ] include them, ( and ) do not.
func formatInterval(in span.Interval, t types.T) string {
	if in.Point() {
		return "= " + string(appendShown(nil, in.Low, t))
	}
	out := []byte{'['}
	if in.LowOpen || in.Low.IsNull() {
		out[0] = '('
	}
	if !in.Low.IsNull() {
		out = appendShown(out, in.Low, t)
	}
	out = append(out, " - "...)
	if !in.High.IsNull() {
		out = appendShown(out, in.High, t)
	}
	if in.HighOpen || in.High.IsNull() {
		return string(append(out, ')'))
	}
	return string(append(out, ']'))
}

// Format shows a key as its values and, where they cannot be read, its bytes:
// /"Oslo"/17.
func Format(key []byte, kinds []types.T, desc []bool) string {
	out := make([]byte, 0, 2*len(key))
	for i := 0; len(key) > 0; i++ {
		out = append(out, '/')
		if i >= len(kinds) {
			return string(strconv.AppendQuote(out, string(key)))
		}
		out, key = appendDecoded(out, key, kinds[i], desc[i])
	}
	return string(out)
}

// FormatPartition shows the partition of a key with what its parts are made of, as far as it can be
// read: tenant = 7, shard(id) = 3.
func (c *Codec) FormatPartition(key []byte) string { return c.FormatValues(c.PartitionValues(key)) }

// PartitionValues are the values of the parts of a partition that a key begins with, as far as they can be read.
func (c *Codec) PartitionValues(key []byte) (values []types.Value) {
	for i := range c.partition {
		v, rest, err := ordered.Decode(key, c.partition[i].Type, c.partition[i].Desc)
		if err != nil {
			break
		}
		values, key = append(values, v), rest
	}
	return values
}

// FormatValues shows the values of the parts of a partition as FormatPartition does.
func (c *Codec) FormatValues(values []types.Value) string {
	var out []byte
	for i, v := range values {
		if i > 0 {
			out = append(out, ", "...)
		}
		what := c.layout.Partition[i]
		what.Desc = false
		name, _, _ := strings.Cut(c.table.DescribePart(what), " of ")
		out = appendShown(append(append(out, name...), " = "...), v, c.partition[i].Type)
	}
	return string(out)
}

// FormatKey shows the bytes of a key, partition and sort key, as Format does, and a Z-address in hexadecimal.
func (c *Codec) FormatKey(key []byte) string {
	out, rest := c.formatKey(key)
	if len(rest) > 0 {
		out = strconv.AppendQuote(append(out, '/'), string(rest))
	}
	return string(out)
}

// FormatFront is FormatKey without what a key has behind the parts: an item that lies behind a row has such a key.
func (c *Codec) FormatFront(key []byte) string {
	out, _ := c.formatKey(key)
	return string(out)
}

// formatKey shows the parts of a key, and returns what follows them.
func (c *Codec) formatKey(key []byte) (out, rest []byte) {
	for i, p := range slices.Concat(c.parts, c.tie) {
		if len(key) == 0 {
			break
		}
		if c.curve != nil && i == len(c.partition) {
			n := min(c.curve.curve.Len(), len(key))
			out, key = fmt.Appendf(out, "/%x", key[:n]), key[n:]
			continue
		}
		out, key = appendDecoded(append(out, '/'), key, p.Type, p.Desc)
	}
	return out, key
}

// appendDecoded shows the value that a key begins with, or the key if it cannot be read, and returns what follows.
func appendDecoded(dst, key []byte, t types.T, desc bool) (shown, rest []byte) {
	v, rest, err := ordered.Decode(key, t, desc)
	if err != nil {
		return strconv.AppendQuote(dst, string(key)), nil
	}
	return appendShown(dst, v, t), rest
}
