package advice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/types"
)

// template is the text that makes the partition of a key, nil for other keys.
func (k *key) template() []catalog.Part {
	if p := k.layout.Partition; len(p) > 0 {
		return p[0].Pieces
	}
	return nil
}

// defaultDigits is how many digits advice pads a number to: those of the largest int4, and of
// the largest int8.
func defaultDigits(t types.T) int {
	switch t.OID {
	case types.OIDInt2:
		return 5
	case types.OIDInt4:
		return 10
	}
	return 19
}

func unpaddedNumber(k *key) (finding, bool) {
	pieces, names, _ := k.mendedTemplate()
	if names == nil {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s writes %s into a text without zeros in front, which loses the order of its numbers",
		k, list(names)), k.templateDDL(pieces)}, true
}

func highConnector(k *key) (finding, bool) {
	pieces, _, high := k.mendedTemplate()
	if high == nil {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s joins texts of varying length with %s, above digits or letters in the order of texts", k, list(high)), k.templateDDL(pieces)}, true
}

// mendedTemplate is the template of a key without what is wrong with it: with numbers padded, the
// names of which it gives, and with a comma in the place of connectors that are too high.
func (k *key) mendedTemplate() (pieces []catalog.Part, unpadded, high []string) {
	pieces = slices.Clone(k.template())
	unpadded = k.pad(pieces)
	for i := 1; i < len(pieces); i++ {
		if name := strconv.Quote(pieces[i].Text); k.joinsTexts(pieces, i) && pieces[i].Text[0] >= '0' &&
			!slices.Contains(high, name) {
			high = append(high, name)
		}
	}
	for i := range pieces {
		if slices.Contains(high, strconv.Quote(pieces[i].Text)) {
			pieces[i].Text = ","
		}
	}
	return pieces, unpadded, high
}

// pad pads integers before which the text keeps the order of columns, and behind which there are
// more columns, and gives their names. A hash in front has given the order up already.
func (k *key) pad(pieces []catalog.Part) (names []string) {
	for i, p := range pieces {
		if p.Count > 0 {
			break // the digits of a hash, or one of some shards
		}
		if p.Kind != part.Column {
			continue
		}
		c := k.column(p.Column)
		behind := slices.ContainsFunc(pieces[i+1:], func(q catalog.Part) bool { return q.Plain() })
		if c.Type.Kind() == types.KindInt && p.Width == 0 && behind {
			names = append(names, strconv.Quote(c.Name))
			pieces[i].Width = defaultDigits(c.Type)
		}
	}
	return names
}

// joinsTexts says whether the i-th piece is a literal behind a text of varying length.
func (k *key) joinsTexts(pieces []catalog.Part, i int) bool {
	before := pieces[i-1]
	if pieces[i].Text == "" || before.Kind != part.Column {
		return false
	}
	t := k.column(before.Column).Type
	return t.Kind() == types.KindText || t.Kind() == types.KindBpchar
}

// templateDDL is the DDL of the key with another template.
func (k *key) templateDDL(pieces []catalog.Part) string {
	options := map[string]string{}
	maps.Copy(options, k.given())
	options["partition_key"] = k.table.TemplateText(catalog.Part{Kind: part.Text, Pieces: pieces})
	return k.with(options)
}
