package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/catalog/reference"
	"zproxy/parser/ast"
	"zproxy/planner/referential"
	"zproxy/sqlerr"
	"zproxy/types"
)

// mostKeyColumns is how many columns a key has at most in PostgreSQL.
const mostKeyColumns = 32

// AddForeignKey adds a foreign key to the table, which refers to a parent. It gives the new versions of both; they are
// one if the table refers to itself.
func (a *Alter) AddForeignKey(s *ast.ForeignKey, parent *catalog.Table) (child, to *catalog.Table, err error) {
	if s.Name != "" && a.Table.HasConstraint(s.Name) {
		return nil, nil, a.taken(s.Name)
	}
	f := foreignKey{Builder: a.Builder, statement: s, child: a.Table, parent: parent}
	k, err := f.key()
	if err != nil {
		return nil, nil, err
	}
	id, err := a.Next()
	if err != nil {
		return nil, nil, err
	}
	k.ID = uint32(id)
	c := *a.Table
	c.Version++
	c.ForeignKeys = a.Table.ForeignKeys.With(*k)
	child, to = &c, &c
	if parent.ID != c.ID {
		p := *parent
		p.Version++
		to = &p
	}
	if !slices.Contains(to.Referrers, c.ID) {
		to.Referrers = append(slices.Clone(to.Referrers), c.ID)
	}
	return child, to, nil
}

// foreignKey makes a foreign key of its statement.
type foreignKey struct {
	Builder
	statement     *ast.ForeignKey
	child, parent *catalog.Table
}

func (f *foreignKey) key() (*reference.Key, error) {
	s := f.statement
	if err := f.refuseKinds(); err != nil {
		return nil, err
	}
	k := &reference.Key{Name: s.Name, Table: f.parent.ID, Full: s.Full, OnDelete: reference.Action(s.OnDelete),
		OnUpdate: reference.Action(s.OnUpdate), Timing: s.Timing, Validity: s.Validity}
	var err error
	if k.Columns, err = keyColumns(f.child, s.Columns); err != nil {
		return nil, err
	}
	if k.Sets, err = f.sets(k.Columns); err != nil {
		return nil, err
	}
	if err := f.refersTo(k); err != nil {
		return nil, err
	}
	if err := f.refuseGenerated(k); err != nil {
		return nil, err
	}
	if k.Name == "" {
		k.Name = freeName(f.child.Name, strings.Join(s.Columns, "_"), "fkey", f.child.HasConstraint)
	}
	return k, Comparable(k, f.child, f.parent)
}

// refuseKinds refuses tables of kinds that keys are not for.
func (f *foreignKey) refuseKinds() error {
	temporary := func(t *catalog.Table) bool { return strings.HasPrefix(t.Schema, catalog.TemporaryPrefix) }
	switch {
	case f.child.Foreign != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "foreign key constraints are not supported on foreign tables")
	case f.parent.Foreign != nil || f.parent.Materialized != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "referenced relation %q is not a table", f.parent.Name)
	case celltime.Has(f.parent) || celltime.Has(f.child):
		return sqlerr.Unsupported("a foreign key of a table whose cells have timestamps")
	case temporary(f.child) && !temporary(f.parent):
		return sqlerr.New(sqlerr.InvalidTableDefinition,
			"constraints on temporary tables may reference only temporary tables")
	case !temporary(f.child) && temporary(f.parent):
		return sqlerr.New(sqlerr.InvalidTableDefinition,
			"constraints on permanent tables may reference only permanent tables")
	case f.child.Partitioning != nil && f.statement.NotValid && !f.statement.NotEnforced:
		return sqlerr.New(sqlerr.WrongObjectType,
			"cannot add NOT VALID foreign key on partitioned table %q referencing relation %q", f.child.Name,
			f.parent.Name).WithDetail("This feature is not yet supported on partitioned tables.")
	}
	return mayBeReferred(f.parent, 1)
}

// MayBeReferred refuses what a table that others refer to cannot be: rows that expire are not found any more, and
// nothing acts on that.
func MayBeReferred(t *catalog.Table) error { return mayBeReferred(t, len(t.Referrers)) }

func mayBeReferred(t *catalog.Table, referrers int) error {
	if referrers > 0 && t.TTL != nil {
		return sqlerr.Unsupported("a foreign key that refers to a table with a ttl")
	}
	return nil
}

// keyColumns are columns of a table that a foreign key names.
func keyColumns(t *catalog.Table, names []string) ([]uint32, error) {
	if len(names) > mostKeyColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "cannot have more than %d keys in a foreign key", mostKeyColumns)
	}
	var out []uint32
	for _, name := range names {
		i := t.Column(name)
		if i < 0 || t.Columns[i].Hidden {
			return nil, sqlerr.New(sqlerr.UndefinedColumn,
				"column %q referenced in foreign key constraint does not exist", name)
		}
		out = append(out, t.Columns[i].ID)
	}
	return out, nil
}

// sets are the columns that ON DELETE SET NULL or SET DEFAULT sets.
func (f *foreignKey) sets(columns []uint32) ([]uint32, error) {
	out, err := keyColumns(f.child, f.statement.Sets)
	out = slices.Compact(out)
	for i, id := range out {
		if !slices.Contains(columns, id) {
			return nil, sqlerr.New(sqlerr.InvalidColumnReference,
				"column %q referenced in ON DELETE SET action must be part of foreign key", f.statement.Sets[i])
		}
	}
	return out, err
}

// refuseGenerated refuses actions that would write a generated column.
func (f *foreignKey) refuseGenerated(k *reference.Key) error {
	if !slices.ContainsFunc(k.Columns, func(id uint32) bool {
		return f.child.Columns[f.child.Ordinal(id)].Generated != nil
	}) {
		return nil
	}
	refused := func(of string) error {
		return sqlerr.New(sqlerr.SyntaxError, "invalid %s action for foreign key constraint containing generated column", of)
	}
	switch {
	case k.OnUpdate.Writes():
		return refused("ON UPDATE")
	case k.OnDelete.Writes() && k.OnDelete != reference.Cascade:
		return refused("ON DELETE")
	}
	return nil
}

// refersTo finds the columns that a key refers to, and the unique index over them.
func (f *foreignKey) refersTo(k *reference.Key) (err error) {
	if len(f.statement.Refers) == 0 {
		if f.parent.PrimaryKey == "" {
			return sqlerr.New(sqlerr.UndefinedObject, "there is no primary key for referenced table %q", f.parent.Name)
		}
		for _, part := range f.parent.Primary.Declared() {
			k.Refers = append(k.Refers, part.ID)
		}
	} else if k.Refers, err = keyColumns(f.parent, f.statement.Refers); err != nil {
		return err
	}
	if len(k.Refers) != len(k.Columns) {
		return sqlerr.New(sqlerr.InvalidForeignKey,
			"number of referencing and referenced columns for foreign key disagree")
	}
	for i, id := range k.Refers {
		if slices.Contains(k.Refers[:i], id) {
			return sqlerr.New(sqlerr.InvalidForeignKey, "foreign key referenced-columns list must not contain duplicates")
		}
	}
	x, ok := referential.UniqueOver(f.parent, k.Refers)
	if !ok {
		return sqlerr.New(sqlerr.InvalidForeignKey,
			"there is no unique constraint matching given keys for referenced table %q", f.parent.Name)
	}
	if x.Layout().Deferrable {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"cannot use a deferrable unique constraint for referenced table %q", f.parent.Name)
	}
	k.Index = x.Number()
	return nil
}

// Comparable wants the columns on both sides of a key to have types whose values can be looked up in the index.
func Comparable(k *reference.Key, child, parent *catalog.Table) error {
	for i, id := range k.Columns {
		from, to := child.Columns[child.Ordinal(id)], parent.Columns[parent.Ordinal(k.Refers[i])]
		own, other := from.Type.Collation.Order, to.Type.Collation.Order
		if own != other && !(own.Deterministic() && other.Deterministic()) {
			return sqlerr.New(sqlerr.CollationMismatch, "foreign key constraint %q cannot be implemented", k.Name).
				WithDetail("Key columns %q of the referencing table and %q of the referenced table have incompatible "+
					"collations. If either collation is nondeterministic, then both collations have to be the same.",
					from.Name, to.Name)
		}
		if refersAs(from.Type, to.Type) {
			continue
		}
		return sqlerr.New(sqlerr.DatatypeMismatch, "foreign key constraint %q cannot be implemented", k.Name).
			WithDetail("Key columns %q and %q are of incompatible types: %s and %s.", from.Name, to.Name,
				from.Type.Bare(), to.Type.Bare())
	}
	return nil
}

// refersAs says whether values of a type can be compared with keys of another by an operator of the index: they are
// cast without a word, or both are integers.
func refersAs(from, to types.T) bool {
	if from.OID == to.OID {
		return true
	}
	integers := []types.OID{types.OIDInt2, types.OIDInt4, types.OIDInt8}
	if slices.Contains(integers, from.OID) && slices.Contains(integers, to.OID) {
		return true
	}
	cast, ok := types.FindCast(from.OID, to.OID)
	return ok && cast.Context == types.Implicit
}

// WithForeignKey is the table with a foreign key as it is changed.
func (a *Alter) WithForeignKey(k *reference.Key, change func(*reference.Key)) *catalog.Table {
	c, next := *a.Table, *k
	change(&next)
	c.Version++
	c.ForeignKeys = a.Table.ForeignKeys.With(next)
	return &c
}

// Checked is the table with its triggers enabled or disabled.
func (a *Alter) Checked(enabled bool) *catalog.Table {
	c := *a.Table
	c.Version++
	c.Unchecked = !enabled
	return &c
}
