package syscat

import (
	"strings"

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
			columns: "oid conname connamespace contype conrelid conindid connoinherit conkey conbin",
			fixed: map[string]types.Value{
				"convalidated": boolean(true), "conislocal": boolean(true), "confupdtype": letter(' '), "confdeltype": letter(' '), "confmatchtype": letter(' '),
			},
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
		collations = append(collations, r.relations.forms[typ].collation)
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

// constraint is what pg_constraint says of one.
type constraint struct {
	id, index uint32
	name      string
	kind      byte
	columns   []uint32
	check     string
}

func constraints(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if !r.wants(t.ID) {
			continue
		}
		schema := r.Catalog.Schema(t.Schema)
		for _, c := range constraintsOf(t) {
			if o := r.object("pg_constraint", c.id); o != nil && o.Definition != nil && c.kind == 'c' {
				c.check = strings.TrimSuffix(strings.TrimPrefix(o.Definition(system.Layout{}), "CHECK ("), ")")
			}
			var key []int16
			for _, id := range c.columns {
				key = append(key, int16(id))
			}
			r.add(number(c.id), text(c.name), number(schema.ID), letter(c.kind), number(t.ID), number(c.index),
				boolean(c.kind != 'c'), numbers(types.OIDInt2, key), textOrNull(c.check))
		}
	}
}

// constraintsOf are the constraints of a table.
func constraintsOf(t *catalog.Table) []constraint {
	var out []constraint
	for _, k := range t.Checks {
		c := constraint{id: CheckID(t, &k), name: k.Name, kind: 'c', check: k.Text}
		for _, b := range k.Columns {
			c.columns = append(c.columns, b.ID)
		}
		out = append(out, c)
	}
	for _, x := range t.TableIndexes() {
		c := constraint{id: x.Ref().ID, index: x.Ref().ID, name: x.Ref().Name, kind: 'u'}
		switch {
		case x.Index == nil:
			c.kind, c.columns = 'p', t.Primary.Columns()
		case x.Index.Constraint:
			c.columns = x.Index.Layout.Columns()
		default:
			continue
		}
		out = append(out, c)
	}
	return out
}

// CheckID is the OID of a CHECK constraint, also of one of the time when they had none.
func CheckID(t *catalog.Table, k *catalog.Check) uint32 {
	if k.ID != 0 {
		return k.ID
	}
	return derived(t.ID, 1<<16+uint32(t.Check(k.Name)))
}
