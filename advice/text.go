package advice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/types"
)

// template is the text that makes the partition of a key, nil for other keys.
func (k *key) template() []catalog.Part {
	if p := k.layout.Partition; len(p) > 0 && p[0].Kind == catalog.TextPart {
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

// unpaddedNumber finds integers before which the text keeps the order of columns, and
// behind which there are more columns. A hash in front has given the order up already.
func unpaddedNumber(k *key) (finding, bool) {
	pieces := slices.Clone(k.template())
	var names []string
	for i, p := range pieces {
		if p.Kind == catalog.PrefixPart || p.Kind == catalog.ShardPart {
			break
		}
		if p.Kind != catalog.ColumnPart || p.Count > 0 {
			continue
		}
		c := k.column(p.Column)
		behind := slices.ContainsFunc(pieces[i+1:], func(q catalog.Part) bool { return q.Kind == catalog.ColumnPart && q.Count == 0 })
		if c.Type.Kind() == types.KindInt && p.Width == 0 && behind {
			names = append(names, strconv.Quote(c.Name))
			pieces[i].Width = defaultDigits(c.Type)
		}
	}
	if names == nil {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s writes %s into a text without zeros in front, which loses the order of its numbers", k, list(names)), k.templateDDL(pieces)}, true
}

// highConnector finds literals behind texts of varying length that sort among letters and
// digits.
func highConnector(k *key) (finding, bool) {
	pieces := slices.Clone(k.template())
	high := ""
	for i := 1; i < len(pieces); i++ {
		text, before := pieces[i].Text, pieces[i-1]
		if pieces[i].Kind != catalog.LiteralPart || text == "" || text[0] < '0' || before.Kind != catalog.ColumnPart {
			continue
		}
		if c := k.column(before.Column); c.Type.Kind() == types.KindText || c.Type.Kind() == types.KindBpchar {
			high = text
		}
	}
	if high == "" {
		return finding{}, false
	}
	for i := range pieces {
		if pieces[i].Kind == catalog.LiteralPart && pieces[i].Text == high {
			pieces[i].Text = ","
		}
	}
	return finding{fmt.Sprintf("%s joins texts of varying length with %q, which does not sort below letters and digits", k, high), k.templateDDL(pieces)}, true
}

// templateDDL is the DDL of the key with another template.
func (k *key) templateDDL(pieces []catalog.Part) string {
	options := map[string]string{}
	maps.Copy(options, k.given())
	options["partition_key"] = k.table.TemplateText(catalog.Part{Kind: catalog.TextPart, Pieces: pieces})
	if k.index == nil {
		return k.tableDDL(k.layout.Declared(), options)
	}
	return k.indexDDL(k.declared(), options)
}

// longKey is how many bytes a key column may have before it is called long.
const longKey = 100

// declaredLength is the n of varchar(n) and char(n), 0 where there is none.
func declaredLength(t types.T) int {
	if t.OID != types.OIDVarchar && t.OID != types.OIDBpchar || t.Mod < 4 {
		return 0
	}
	return int(t.Mod) - 4
}

// longColumns finds columns of a key whose type lets them be long. A dimension keeps only
// their first bytes.
func longColumns(k *key) (finding, bool) {
	if k.curve() != nil {
		return finding{}, false
	}
	for _, d := range k.layout.Declared() {
		c := k.column(d.ID)
		if declaredLength(c.Type) <= longKey {
			continue
		}
		short := types.T{OID: c.Type.OID, Mod: longKey + 4}
		return finding{
			fmt.Sprintf("%s holds %q, which may have more than %d bytes, in every one of its items", k, c.Name, longKey),
			"ALTER TABLE " + k.tableName() + " ALTER COLUMN " + expr.QuoteIdent(c.Name) + " TYPE " + short.String(),
		}, true
	}
	return finding{}, false
}
