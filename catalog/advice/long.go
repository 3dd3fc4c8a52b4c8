package advice

import (
	"fmt"
	"strconv"

	"zproxy/catalog"
	"zproxy/expr"
)

// longKey is how many bytes a key column may have before it is called long.
const longKey = 100

// long says whether the values of a column are long on average, as far as is known.
func (k *key) long(c *catalog.Column) bool { return k.known.Stats.Columns[c.ID].Width > longKey }

// mayBeLong says whether that is so, or the type of the column lets it be.
func (k *key) mayBeLong(c *catalog.Column) bool { return k.long(c) || maxBytes(c.Type) > longKey }

// longColumns finds columns of a key whose values are long, or whose type lets them be. A dimension
// keeps only their first bytes.
func longColumns(k *key) (finding, bool) {
	if k.curve() != nil {
		return finding{}, false
	}
	var names []string
	are := false
	for _, d := range k.layout.Declared() {
		if c := k.column(d.ID); k.mayBeLong(c) {
			names = append(names, strconv.Quote(c.Name))
			are = are || k.long(c)
		}
	}
	if names == nil {
		return finding{}, false
	}
	what := "whose values may have more than %d bytes"
	if are {
		what = "whose values have more than %d bytes on average"
	}
	return finding{fmt.Sprintf("%s holds %s, "+what+", in every key", k, list(names), longKey), k.shortened()}, true
}

// shortened is the DDL that makes a key short. A type that is wider than what it has is narrowed;
// long values give way to their md5, which is as unique.
func (k *key) shortened() string {
	keys := k.layout.Declared()
	columns := k.columns(keys)
	var changes []string
	hashed := false
	for i, d := range keys {
		c := k.column(d.ID)
		name, hash := expr.QuoteIdent(c.Name), expr.QuoteIdent(c.Name+"_md5")
		switch {
		case k.long(c):
			changes = append(changes, "ADD COLUMN "+hash+" uuid",
				"ALTER COLUMN "+hash+" TYPE uuid USING md5("+k.hashable(c)+")::uuid")
			columns[i], hashed = hash, true
		case k.mayBeLong(c):
			changes = append(changes, "ALTER COLUMN "+name+" TYPE "+withBytes(c.Type, longKey).String())
		}
	}
	switch {
	case !hashed:
		return k.alter(changes...)
	case k.index == nil:
		return k.rekeyed(columns, k.plain(), changes...)
	}
	return k.alter(changes...) + "; " + k.rebuilt(columns, k.plain())
}

// hashable is a column in a form that md5 takes.
func (k *key) hashable(c *catalog.Column) string {
	name := expr.QuoteIdent(c.Name)
	if isText(c.Type) && !isBits(c.Type) {
		return name
	}
	return name + "::text"
}
