package advice

import (
	"fmt"
	"strconv"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/types"
)

func tableBeginsWithTime(k *key) (finding, bool) {
	return k.beginsWithTime(k.index == nil)
}

func indexBeginsWithTime(k *key) (finding, bool) {
	return k.beginsWithTime(k.index != nil)
}

// beginsWithTime looks at a key if it is of the kind that the rule is for.
func (k *key) beginsWithTime(asked bool) (finding, bool) {
	c := k.leading()
	if !asked || c == nil || !isTime(c.Type) {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s begins with the time %q, so that all new %s go to one end of it", k, c.Name, k.items()), k.reordered()}, true
}

func beginsWithTimedUUID(k *key) (finding, bool) {
	c := k.leading()
	if c == nil || !k.timedUUIDs(c) {
		return finding{}, false
	}
	ddl := k.sharded()
	if k.index == nil {
		ddl = "ALTER TABLE " + k.tableName() + " ALTER COLUMN " + expr.QuoteIdent(c.Name) + " SET DEFAULT gen_random_uuid()"
	}
	return finding{fmt.Sprintf("%s begins with %q, whose uuids begin with the time, so that all new %s go to one end of it", k, c.Name, k.items()), ddl}, true
}

func beginsWithSequence(k *key) (finding, bool) {
	c := k.leading()
	if c == nil || !fromSequence(c) {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s begins with %q, which a sequence fills, so that all new %s go to one end of it", k, c.Name, k.items()), k.reordered()}, true
}

func fewPartitions(k *key) (finding, bool) {
	values, names := 1.0, []string(nil)
	for _, p := range k.layout.Partition {
		if p.Kind != catalog.ColumnPart || p.Count > 0 {
			return finding{}, false
		}
		c := k.column(p.Column)
		values *= k.values(c)
		names = append(names, strconv.Quote(c.Name))
	}
	if names == nil || values == 0 || values > fewValues {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s has a partition key of few values: %s with %.0f of them, so that its %s lie in as many partitions", k, list(names), values, k.items()), k.reordered()}, true
}

func hashedTwice(k *key) (finding, bool) {
	of := k.layout.Columns()
	for _, p := range k.layout.Partition {
		if p.Kind == catalog.TextPart && len(p.Pieces) == 1 {
			p = p.Pieces[0]
		}
		switch {
		case p.Kind == catalog.ShardPart && k.layout.Unique && len(of) == 1 && k.spreads(k.column(of[0])):
			return k.unhashed("a hash", of[0], "which spreads by itself"), true
		case p.Kind == catalog.PrefixPart && len(p.Columns()) == 1 && !k.grows(k.column(p.Columns()[0])):
			return k.unhashed("nothing but the md5", p.Columns()[0], "where the column itself would do"), true
		case p.Kind == catalog.TextPart:
			for _, piece := range p.Pieces {
				if c := piece.Columns(); piece.Kind == catalog.PrefixPart && len(c) == 1 && k.spreads(k.column(c[0])) {
					return k.unhashed("the md5", c[0], "which spreads by itself"), true
				}
			}
		}
	}
	return finding{}, false
}

// spreads says whether the values of a column are known to be as even as a hash of them.
func (k *key) spreads(c *catalog.Column) bool {
	return c.Type.Kind() == types.KindUUID && !k.timedUUIDs(c)
}

// unhashed is the finding about a hash of a column, with the key as it is without one.
func (k *key) unhashed(what string, column uint32, why string) finding {
	f := finding{sentence: fmt.Sprintf("%s begins with %s of %q, %s", k, what, k.column(column).Name, why)}
	if k.index == nil {
		f.ddl = k.tableDDL(k.layout.Declared(), k.options("", ""))
	} else {
		f.ddl = k.indexDDL(k.declared(), k.options("", ""))
	}
	return f
}
