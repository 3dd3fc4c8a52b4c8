package syscat

import (
	"zproxy/catalog"
	"zproxy/catalog/opclass"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// indexCatalogs are those that tell of indexes and constraints.
func indexCatalogs() []definition {
	return []definition{
		{
			name: "pg_index", key: "indexrelid", rows: indexes,
			columns: "indexrelid indrelid indnatts indnkeyatts indisunique indnullsnotdistinct indisprimary indimmediate indisclustered indkey indcollation indclass indoption indexprs indpred indisvalid indisready",
			fixed:   map[string]types.Value{"indislive": boolean(true)},
		},
		{
			name: "pg_constraint", key: "conrelid", rows: constraints,
			columns: "oid conname connamespace contype conrelid conindid connoinherit conislocal coninhcount conkey conbin contypid condeferrable condeferred convalidated confrelid confkey confupdtype confdeltype confmatchtype confdelsetcols",
		},
	}
}

func indexes(r *rows) {
	for _, t := range r.Catalog.Tables() {
		for _, x := range t.TableIndexes() {
			if r.wants(x.Ref().ID) {
				r.index(x)
			}
		}
	}
}

func (r *rows) index(x catalog.TableIndex) {
	var keys, options []int16
	var collations, operators []uint32
	columns := x.Columns()
	for i, c := range columns {
		of := &x.Table.Columns[x.Table.Ordinal(c.ID)]
		key := int16(0)
		if !of.Expression() {
			key = int16(c.ID)
		}
		keys = append(keys, key)
		if c.Included {
			continue
		}
		option := int16(0)
		if c.Desc {
			option |= indexDescending
		}
		if c.Desc != c.NullsSwapped {
			option |= indexNullsFirst
		}
		options = append(options, option)
		collations = append(collations, r.relations.collationOf(of.Type))
		operators = append(operators, r.relations.operatorClass(x.Method(), opclass.Of(x, i), of.Type))
	}
	expressions, condition := indexTexts(r, x)
	r.add(number(x.Ref().ID), number(x.Table.ID), number(len(columns)), number(len(options)),
		boolean(x.Index == nil || x.Index.Unique), boolean(x.Index != nil && x.Index.Layout.NullsEqual),
		boolean(x.Index == nil), boolean(!x.Layout().Deferrable), boolean(x.Clustered()),
		vector(types.OIDInt2, keys), vector(types.OIDOID, collations), vector(types.OIDOID, operators),
		vector(types.OIDInt2, options), textOrNull(expressions), textOrNull(condition),
		boolean(x.State().Reads() && (x.Index != nil || r.Catalog.Keyed(x.Table))), boolean(x.State().Writes()))
}

// indexTexts are the expressions that an index is over, and which rows it holds; empty: it has none, and holds all.
func indexTexts(r *rows, x catalog.TableIndex) (expressions, condition string) {
	o := r.object("pg_class", x.Number())
	if x.Index == nil || o == nil || o.Relation == nil {
		return "", ""
	}
	if o.Relation.Expressions != nil {
		expressions = o.Relation.Expressions(system.Layout{})
	}
	if o.Relation.Condition != nil {
		condition = o.Relation.Condition(system.Layout{})
	}
	return expressions, condition
}

// The bits of pg_index.indoption.
const (
	indexDescending = 1
	indexNullsFirst = 2
)
