package syscat

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/family"
	"zproxy/catalog/keytext"
	"zproxy/catalog/portable"
	"zproxy/types"
)

// relationCatalogs are those that tell of schemas and of whole relations.
func relationCatalogs() []definition {
	return []definition{
		{name: "pg_namespace", key: "oid", columns: "oid nspname nspowner nspacl", rows: namespaces},
		{
			name: "pg_class", key: "oid", rows: classes,
			columns: "oid relpersistence relname relnamespace relowner relam relpages reltuples relhasindex relkind relnatts relchecks relhasrules relhastriggers relreplident reloptions reltype relacl relispartition relpartbound relhassubclass relispopulated relrowsecurity relforcerowsecurity reloftype",
		},
		{
			name: "pg_sequence", key: "seqrelid", rows: sequences,
			columns: "seqrelid seqtypid seqstart seqincrement seqmax seqmin seqcache seqcycle",
		},
		{
			name: "pg_rewrite", key: "oid", rows: rules,
			columns: "oid rulename ev_class", fixed: map[string]types.Value{
				"ev_type": letter('1'), "ev_enabled": letter('O'), "is_instead": boolean(true), "ev_qual": text("<>"), "ev_action": text("<>"),
			},
		},
	}
}

// superuser is the OID of the role that the system belongs to, and pgCatalog its schema.
const (
	superuser = catalog.BootstrapID
	pgCatalog = catalog.PgCatalogID
)

func namespaces(r *rows) {
	for _, s := range r.Catalog.Schemas() {
		if r.wants(s.ID) {
			r.add(number(s.ID), text(s.Name), number(s.OwnerID()), r.acl(s.ACL))
		}
	}
}

// class is what pg_class says of a relation besides its name.
type class struct {
	owner, method   uint32
	rows            float64
	indexed         bool
	kind            byte
	columns, checks int
	options         map[string]string
	listed          []string // options in the order in which they were given
	acl             catalog.ACL
	empty           bool // a materialized view that is not populated
	guarded
	kin
}

// kin is what a relation has to do with others.
type kin struct {
	partition bool
	bound     types.Value // of a partition that is a table
	divided   bool        // it has partitions, or others inherit from it
	ofType    types.OID   // the composite type that a table has its columns from
}

// guarded says whether a table refers or is referred to, for which PostgreSQL has triggers, and whether row security is
// enforced, also on the owner.
type guarded struct{ refers, secured, forced bool }

// The letters of relations in pg_class.
const (
	tableLetter    = 'r'
	indexLetter    = 'i'
	viewLetter     = 'v'
	sequenceLetter = 'S'
	foreignLetter  = 'f'

	materializedLetter = 'm'

	partitionedLetter      = 'p'
	partitionedIndexLetter = 'I'
)

func classes(r *rows) {
	for _, v := range r.Catalog.Virtuals() {
		kind, method := byte(tableLetter), uint32(heapMethod)
		if v.Kind == catalog.ViewKind {
			kind, method = viewLetter, 0
		}
		r.class(v.Ref(), class{owner: superuser, method: method, rows: -1, kind: kind, columns: len(v.Columns),
			acl: ACL(r.Catalog, v)})
	}
	for _, t := range r.Catalog.Tables() {
		kind, method := byte(tableLetter), uint32(heapMethod)
		switch {
		case t.Foreign != nil:
			kind, method = foreignLetter, 0
		case t.Materialized != nil:
			kind = materializedLetter
		case t.Partitioning != nil:
			kind, method = partitionedLetter, 0
		}
		r.class(t.Ref(), class{
			owner: t.OwnerID(), method: method, rows: knownRows(t), kind: kind, columns: len(attributes(t)),
			indexed: len(t.TableIndexes()) > 0, checks: len(t.Checks), options: r.options(t),
			acl: t.ACL,
			kin: kin{t.PartitionOf != nil, boundOf(t), len(r.Catalog.Partitions(t.ID))+len(r.Catalog.Heirs(t.ID)) > 0,
				typeOfRows(t)},
			empty:   t.Materialized != nil && t.Materialized.Empty,
			guarded: guarded{refers(r.Catalog, t) || len(t.Triggers.Triggers) > 0, t.RowSecurity, t.ForOwner},
		})
		for _, x := range t.TableIndexes() {
			c := r.indexClass(x)
			c.divided = len(r.Catalog.Partitions(t.ID)) > 0
			r.class(x.Ref(), c)
		}
	}
	for _, v := range r.Catalog.Views() {
		r.class(v.Ref(), class{owner: v.OwnerID(), rows: -1, kind: viewLetter, columns: len(v.Columns), acl: v.ACL,
			listed: v.Options, guarded: guarded{refers: len(v.Triggers.Triggers) > 0}})
	}
	for _, q := range r.Catalog.Sequences() {
		r.class(q.Ref(), class{owner: q.OwnerID(), rows: 1, kind: sequenceLetter, columns: len(sequenceColumns),
			acl: q.ACL})
	}
	compositeClasses(r)
}

// typeOfRows is the composite type that a table has its columns from, 0 when it has its own.
func typeOfRows(t *catalog.Table) types.OID {
	if t.OfType == 0 {
		return types.OIDInvalid
	}
	row, _ := types.RowOID(t.OfType)
	return row
}

// refers says whether a table, or one that it is a partition of, has to do with foreign keys.
func refers(s *catalog.Snapshot, t *catalog.Table) bool {
	return slices.ContainsFunc(catalog.WithParents(s, t), func(of *catalog.Table) bool {
		return len(of.ForeignKeys)+len(of.Referrers) > 0
	})
}

// options are those with which a dump makes a table.
func (r *rows) options(t *catalog.Table) map[string]string {
	if r.Portable {
		return portable.Options(t.Options)
	}
	return keytext.Options(t, family.Options(r.Catalog, t.Space, t.Options))
}

func (r *rows) indexClass(x catalog.TableIndex) class {
	c := class{owner: x.Table.OwnerID(), method: methodOIDs()[x.Method()], rows: max(knownEntries(x), 0),
		kind: indexLetter, columns: len(x.Columns())}
	if x.Index != nil {
		c.options, c.partition = family.Options(r.Catalog, x.Index.Space, x.Index.Options), x.Index.Of != 0
	} else {
		c.options, c.partition = x.Table.KeyOptions, x.Table.PartitionOf != nil
	}
	if r.Portable {
		c.options = portable.Options(c.options)
	}
	if x.Table.Partitioning != nil {
		c.kind, c.rows = partitionedIndexLetter, 0
	}
	return c
}

// knownRows is how many rows a table has as far as ANALYZE has found out, -1 when it has
// not.
func knownRows(t *catalog.Table) float64 {
	if !t.Stats.Known {
		return -1
	}
	return t.Stats.Rows
}

// knownEntries is how many entries an index has, as knownRows tells of rows.
func knownEntries(x catalog.TableIndex) float64 {
	if x.Index == nil || !x.Table.Stats.Known {
		return knownRows(x.Table)
	}
	return x.Table.EntryCount(x.Index)
}

// pageBytes is what a page of PostgreSQL's holds. Clients multiply by it.
const pageBytes = 8192

func (r *rows) class(ref catalog.Ref, c class) {
	schema := r.Catalog.Schema(ref.Schema)
	if schema == nil || !r.wants(ref.ID) {
		return
	}
	persistence := byte('p')
	if strings.HasPrefix(schema.Name, catalog.TemporaryPrefix) {
		persistence = 't'
	}
	pages, identity := 0, byte('n')
	if c.rows > 0 || c.kind == indexLetter {
		pages = 1
	}
	if c.rows > 0 {
		pages += int(r.size(ref.ID) / pageBytes)
	}
	stored := c.kind == tableLetter || c.kind == foreignLetter || c.kind == partitionedLetter ||
		c.kind == materializedLetter
	if stored && schema.ID != pgCatalog {
		identity = 'd'
	}
	rowType := uint32(0)
	if of, _ := r.Catalog.RowTypeOf(rowTypeOf(ref.ID)); of != nil || c.kind == compositeLetter {
		rowType = rowTypeOf(ref.ID)
	}
	r.add(number(ref.ID), letter(persistence), text(ref.Name), number(schema.ID), number(c.owner), number(c.method),
		number(pages), types.NewFloat(c.rows),
		boolean(c.indexed), letter(c.kind), number(c.columns), number(c.checks),
		boolean(c.kind == viewLetter || c.kind == materializedLetter), boolean(c.refers), letter(identity),
		optionsOf(c.options, c.listed), number(rowType), r.acl(c.acl), boolean(c.partition), c.bound,
		boolean(c.divided), boolean(!c.empty), boolean(c.secured), boolean(c.forced),
		number(c.ofType))
}

// size is how many bytes a relation is thought to take.
func (r *rows) size(id uint32) float64 {
	if o := r.Objects.Object("pg_class", id); o != nil && o.Relation != nil {
		return o.Relation.Estimate
	}
	return 0
}

// optionsOf are storage parameters as name=value, NULL for none.
func optionsOf(options map[string]string, list []string) types.Value {
	if len(options)+len(list) == 0 {
		return types.Null
	}
	for _, name := range sortedKeys(options) {
		list = append(slices.Clip(list), name+"="+options[name])
	}
	return texts(types.OIDText, list)
}

func sequences(r *rows) {
	for _, q := range r.Catalog.Sequences() {
		if r.wants(q.ID) {
			r.add(number(q.ID), number(q.Type.OID), number(q.Start), number(q.Increment), number(q.Max), number(q.Min),
				number(q.Cache), boolean(q.Cycle))
		}
	}
}

func rules(r *rows) {
	add := func(ref catalog.Ref) {
		if id := RuleOf(ref.ID); r.wants(id) {
			r.add(number(id), text("_RETURN"), number(ref.ID))
		}
	}
	_, queries := catalog.Queries(r.Catalog)
	for _, v := range queries {
		add(v.Ref())
	}
	for _, v := range r.Catalog.Virtuals() {
		if v.Kind == catalog.ViewKind {
			add(v.Ref())
		}
	}
}

// RuleOf is the OID of the rule that makes the rows of a view: derived from the view's, so that
// it stays the same.
func RuleOf(view uint32) uint32 { return derived(view, 0) }

// derived is the OID of something that has no number of its own: the same for the same owner
// and ordinal, different for each ordinal, and far above all that is given out.
func derived(owner, ordinal uint32) uint32 {
	const top, spread = 1 << 31, 0x9e3779b1
	return top | (owner*spread>>1 + ordinal)
}
