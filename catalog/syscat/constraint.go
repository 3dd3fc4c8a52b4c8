package syscat

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/lineage"
	"zproxy/catalog/reference"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// constraint is what pg_constraint says of one.
type constraint struct {
	id, index uint32
	name      string
	kind      byte
	columns   []uint32
	check     *catalog.Check
	foreign   *reference.Key   // of a foreign key
	domain    types.OID        // 0: it is one of a table
	timing    reference.Timing // of others than foreign keys
	inherited
}

func constraints(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if !r.wants(t.ID) {
			continue
		}
		schema := r.Catalog.Schema(t.Schema)
		for _, c := range constraintsOf(t) {
			if c.check != nil {
				n := lineage.OfCheck(r.Catalog, t, c.name)
				c.inherited = inherited{n, n > 0 && !t.Inherits.DeclaresCheck(c.id)}
			}
			addConstraint(r, c, schema.ID, t.ID)
		}
	}
	domainConstraints(r)
}

// conditionOf is the condition of a check, empty for another constraint.
func conditionOf(r *rows, c constraint) string {
	if c.check == nil {
		return ""
	}
	if o := r.object("pg_constraint", c.id); o != nil && o.Definition != nil {
		text := strings.TrimSuffix(o.Definition(system.Layout{}), ")"+CheckClauses(c.check, r.Portable))
		return strings.TrimPrefix(text, "CHECK (")
	}
	return c.check.Text
}

// CheckClauses are the clauses behind the condition of a check.
func CheckClauses(k *catalog.Check, portable bool) string {
	if k.NoInherit {
		return " NO INHERIT" + k.Clause(portable)
	}
	return k.Clause(portable)
}

func addConstraint(r *rows, c constraint, schema, table uint32) {
	columns := columnNumbers(c.columns)
	if c.domain != 0 {
		columns = types.Null
	}
	row := []types.Value{number(c.id), text(c.name), number(schema), letter(c.kind), number(table), number(c.index),
		boolean(c.check == nil || c.check.NoInherit), boolean(!c.only), number(c.parents), columns, textOrNull(conditionOf(r, c)), number(c.domain)}
	r.add(append(row, c.references()...)...)
}

// references are the columns of pg_constraint that tell of foreign keys.
func (c *constraint) references() []types.Value {
	k := c.foreign
	if k == nil {
		none := letter(' ')
		valid := c.check == nil || !c.check.NotValid
		return []types.Value{boolean(c.timing.Deferrable), boolean(c.timing.Deferred), boolean(valid),
			number(uint32(0)), types.Null, none, none, none, types.Null}
	}
	match, sets := byte('s'), types.Null
	if k.Full {
		match = 'f'
	}
	if k.Sets != nil {
		sets = columnNumbers(k.Sets)
	}
	return []types.Value{boolean(k.Deferrable), boolean(k.Deferred), boolean(!k.NotValid),
		number(k.Table), columnNumbers(k.Refers), letter(k.OnUpdate.Code()[0]), letter(k.OnDelete.Code()[0]),
		letter(match), sets}
}

// columnNumbers are numbers of columns as catalogs have them.
func columnNumbers(ids []uint32) types.Value {
	var out []int16
	for _, id := range ids {
		out = append(out, int16(id))
	}
	return numbers(types.OIDInt2, out)
}

// constraintsOf are the constraints of a table.
func constraintsOf(t *catalog.Table) []constraint {
	var out []constraint
	for i := range t.Checks {
		k := &t.Checks[i]
		c := constraint{id: CheckID(t, k), name: k.Name, kind: 'c', check: k}
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
			c.columns, c.timing = x.Index.Layout.Columns(), x.Index.Layout.Timing
		default:
			continue
		}
		out = append(out, c)
	}
	for i := range t.ForeignKeys {
		k := &t.ForeignKeys[i]
		out = append(out, constraint{id: k.ID, index: k.Index, name: k.Name, kind: 'f', columns: k.Columns, foreign: k})
	}
	return append(out, constraintTriggers(t)...)
}

// CheckID is the OID of a CHECK constraint, also of one of the time when they had none.
func CheckID(t *catalog.Table, k *catalog.Check) uint32 {
	if k.ID != 0 {
		return k.ID
	}
	return derived(t.ID, 1<<16+uint32(t.Check(k.Name)))
}
