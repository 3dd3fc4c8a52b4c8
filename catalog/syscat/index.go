package syscat

import (
	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// indexCatalogs are those that tell of indexes and constraints.
func indexCatalogs() []definition {
	return []definition{
		{
			name: "pg_index", key: "indexrelid", rows: indexes,
			columns: "indexrelid indrelid indnatts indnkeyatts indisunique indnullsnotdistinct indisprimary indkey indcollation indclass indoption indpred indisvalid indisready",
			fixed:   map[string]types.Value{"indimmediate": boolean(true), "indislive": boolean(true)},
		},
		{
			name: "pg_constraint", key: "conrelid", rows: constraints,
			columns: "oid conname connamespace contype conrelid conindid connoinherit conkey conbin contypid condeferrable condeferred convalidated confrelid confkey confupdtype confdeltype confmatchtype confdelsetcols",
			fixed:   map[string]types.Value{"conislocal": boolean(true)},
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
	for _, c := range columns {
		keys = append(keys, int16(c.ID))
		if c.Included {
			continue
		}
		typ := x.Table.Columns[x.Table.Ordinal(c.ID)].Type.OID
		option := int16(0)
		if c.Desc {
			option = indexDescending | indexNullsFirst
		}
		options = append(options, option)
		collations = append(collations, r.relations.formOf(typ).collation)
		operators = append(operators, r.relations.operatorClass(x.Method() == catalog.ZOrder, typ))
	}
	r.add(number(x.Ref().ID), number(x.Table.ID), number(len(columns)), number(len(options)),
		boolean(x.Index == nil || x.Index.Unique), boolean(x.Index != nil && x.Index.Layout.NullsEqual),
		boolean(x.Index == nil),
		vector(types.OIDInt2, keys), vector(types.OIDOID, collations), vector(types.OIDOID, operators),
		vector(types.OIDInt2, options), textOrNull(r.condition(x)),
		boolean(x.State().Reads() && (x.Index != nil || r.Catalog.Keyed(x.Table))), boolean(x.State().Writes()))
}

// condition is which rows an index holds, empty when it holds all.
func (r *rows) condition(x catalog.TableIndex) string {
	if x.Index == nil || !x.Index.Partial() {
		return ""
	}
	o := r.object("pg_class", x.Index.ID)
	if o == nil || o.Relation == nil || o.Relation.Condition == nil {
		return x.Index.Where.Text
	}
	return o.Relation.Condition(system.Layout{})
}

// The bits of pg_index.indoption.
const (
	indexDescending = 1
	indexNullsFirst = 2
)
