package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// What item_keys says that keys are, for programs that read the items of a store.
const (
	binaryKeys = "binary" // bytes in the order of the key
	nativeKeys = "native" // the values of one or two columns
	textKeys   = "text"   // texts that templates make
)

// separator stands between the columns of a key text.
const separator = "#"

// typed says whether the parts of keys are to be texts and numbers.
func (o *keyOptions) typed() bool { return o.itemKeys == nativeKeys || o.itemKeys == textKeys }

// checkItemKeys wants options that go with item_keys.
func (o *keyOptions) checkItemKeys() error {
	switch {
	case o.has(sortOption) && o.itemKeys != textKeys:
		return o.bad(sortOption, "parameter %q needs %s = 'text'", sortOption, itemKeysOption)
	case o.itemKeys == textKeys && o.shards > 0 && !o.has(templateOption):
		return o.bad(itemKeysOption, "%s = 'text' with %s needs parameter %q", itemKeysOption, shardsOption,
			templateOption)
	case o.typed() && o.zorder:
		return o.bad(itemKeysOption, "%s = '%s' excludes a key in z-order", itemKeysOption, o.itemKeys)
	}
	return nil
}

// typeKeys lays out a table whose keys are texts and numbers. Its partition has been laid out.
func (t *NewTable) typeKeys(l *catalog.Layout, declared []catalog.Part) error {
	if !t.keys.typed() || t.PrimaryKey == "" {
		return nil
	}
	if t.keys.itemKeys == textKeys && len(l.Sort) > 0 {
		if err := t.sortByText(l, declared); err != nil {
			return err
		}
	}
	if len(l.Partition) != 1 || len(l.Sort) > 1 || slices.ContainsFunc(l.Parts(), t.notNative) {
		return t.keys.bad(itemKeysOption, "%s = '%s' does not fit the primary key", itemKeysOption, t.keys.itemKeys).
			WithDetail("The partition key must be one column, and the sort key one or none, of type text, varchar, "+
				"smallint, integer or bigint, in ascending order.").
			WithHint("%s = 'text' makes texts of other columns, by %s and %s.", itemKeysOption, templateOption,
				sortOption)
	}
	l.Typed = true
	return nil
}

// notNative says whether a part of a key is neither a text nor a whole number.
func (t *NewTable) notNative(p catalog.Part) bool {
	if p.Desc || p.NullsSwapped || p.Kind == part.Text {
		return p.Desc || p.NullsSwapped
	}
	if !p.Plain() {
		return true
	}
	of := t.Columns[t.Ordinal(p.Column)].Type
	return of.Collation.Order != 0 || !slices.Contains([]types.OID{types.OIDText, types.OIDVarchar, types.OIDInt2,
		types.OIDInt4, types.OIDInt8}, of.OID)
}

// hole is a column in a template.
func (t *NewTable) hole(p catalog.Part) string {
	return "{" + expr.QuoteIdent(t.Columns[t.Ordinal(p.Column)].Name) + "}"
}

// sortByText makes one text of the columns that sort: that of the option sort_key, or all of them in their order.
func (t *NewTable) sortByText(l *catalog.Layout, declared []catalog.Part) error {
	r := &template{table: t.Table, pos: t.keys.pos[itemKeysOption], Template: part.Template{
		Text: t.keys.sort, Table: t.Table, Column: visible(t.Table), Option: sortOption}}
	if t.keys.has(sortOption) {
		r.pos = t.keys.pos[sortOption]
	} else {
		holes := make([]string, len(l.Sort))
		for i, p := range l.Sort {
			holes[i] = t.hole(p)
		}
		r.Text = strings.Join(holes, separator)
	}
	text, err := r.read()
	if err == nil {
		err = r.check(text, columnsOf(declared), "the primary key")
	}
	if err != nil {
		return err
	}
	for _, p := range l.Sort {
		switch name := t.Columns[t.Ordinal(p.Column)].Name; {
		case t.Columns[t.Ordinal(p.Column)].Type.Collation.Order != 0:
			return t.keys.bad(itemKeysOption, "column %q of the primary key is ordered by a language, which a text is not",
				name)
		case p.Desc:
			return t.keys.bad(itemKeysOption, "column %q of the primary key descends, which a text does not", name)
		case !r.determines(text, p.Column):
			return sqlerr.New(sqlerr.InvalidTableDefinition,
				"the value of column %q of the primary key cannot be read from %s \"%s\"", name, sortOption, r.Text).
				At(int(r.pos))
		}
	}
	l.Sort = []catalog.Part{text}
	return nil
}
