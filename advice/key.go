package advice

import (
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/types"
)

// key is the key that is judged: an index, or the primary key of a table.
type key struct {
	table  *catalog.Table
	index  *catalog.Index // nil: the primary key
	layout *catalog.Layout
	known  Known
}

// String names the key in a sentence.
func (k *key) String() string {
	if k.index == nil {
		return fmt.Sprintf("the primary key of table %q", k.table.Name)
	}
	return fmt.Sprintf("index %q of table %q", k.index.Name, k.table.Name)
}

// items are what the key has, in a sentence.
func (k *key) items() string {
	if k.index == nil {
		return "rows"
	}
	return "entries"
}

func (k *key) column(id uint32) *catalog.Column { return &k.table.Columns[k.table.Ordinal(id)] }

// leading is the column whose value keys begin with, or whose hour, day ...; nil when they
// begin with something that is computed otherwise.
func (k *key) leading() *catalog.Column {
	first := k.layout.Parts()[0]
	for _, piece := range first.Pieces {
		if first.Kind == catalog.TextPart && piece.Kind != catalog.LiteralPart {
			first = piece
			break
		}
	}
	switch first.Kind {
	case catalog.ColumnPart, catalog.BucketPart:
		return k.column(first.Column)
	case catalog.ZAddressPart:
		if len(first.Curve) == 1 {
			return k.column(first.Curve[0].Column)
		}
	}
	return nil
}

// grows says whether new rows have ever larger values in a column.
func (k *key) grows(c *catalog.Column) bool {
	return isTime(c.Type) || fromSequence(c) || k.timedUUIDs(c)
}

func isTime(t types.T) bool {
	return t.Kind() == types.KindDate || t.Kind() == types.KindTimestamp
}

// isText says whether a type has values of any length.
func isText(t types.T) bool {
	return t.Kind() == types.KindText || t.Kind() == types.KindBytes || t.Kind() == types.KindBpchar
}

// fromSequence says whether a column takes its values from a sequence as they come.
func fromSequence(c *catalog.Column) bool {
	if c.Identity != catalog.NoIdentity {
		return true
	}
	calls := callsIn(c.Default)
	return calls["nextval"] && !calls["bit_reverse"] && !calls["reverse"] && !calls["md5"] && !calls["sha256"] && !calls["hashtextextended"]
}

// timedUUIDs says whether the uuids of a column begin with the time at which they were
// made. Of the values that are there the smallest and the largest speak for the others: one
// maker gives all of its uuids the same version, in the same place.
func (k *key) timedUUIDs(c *catalog.Column) bool {
	if c.Type.Kind() != types.KindUUID {
		return false
	}
	calls := callsIn(c.Default)
	for _, name := range []string{"uuidv1", "uuidv6", "uuidv7", "uuid_generate_v1", "uuid_generate_v1mc", "uuid_generate_v6", "uuid_generate_v7"} {
		if calls[name] {
			return true
		}
	}
	known := k.known.Stats.Columns[c.ID]
	return hasTime(known.Min) && hasTime(known.Max)
}

// hasTime says whether a value is a uuid of RFC 9562 that begins with a time: of version 1, 6 or 7.
func hasTime(v types.Value) bool {
	if v.Kind() != types.KindUUID {
		return false
	}
	u := v.UUID()
	version := u[6] >> 4
	return u[8]>>6 == 0b10 && (version == 1 || version == 6 || version == 7)
}

// fewValues is how many values a partition key may have to be called one of few values, and
// rowsOfEach how many rows there must be for each before that is said.
const (
	fewValues  = 32
	rowsOfEach = 100
)

// values is how many values a column can have or has, as far as is known, 0 where nothing is.
func (k *key) values(c *catalog.Column) float64 {
	if c.Type.Kind() == types.KindBool {
		return 2
	}
	known := k.known.Stats.Columns[c.ID].Distinct
	if k.known.Stats.Rows < rowsOfEach*known {
		return 0
	}
	return known
}

// few says whether a column is known to have few values.
func (k *key) few(c *catalog.Column) bool {
	n := k.values(c)
	return n > 0 && n <= fewValues
}

// callsIn are the names of the functions that an expression calls, in lower case and
// without schemas: words before a parenthesis, outside of texts.
func callsIn(text string) map[string]bool {
	calls, word, quoted := map[string]bool{}, "", false
	for _, c := range strings.ToLower(text) {
		switch {
		case c == '\'':
			quoted, word = !quoted, ""
		case quoted || c == ' ' || c == '\n' || c == '"':
		case c == '(':
			calls[word], word = true, ""
		case c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			word += string(c)
		default:
			word = ""
		}
	}
	return calls
}
