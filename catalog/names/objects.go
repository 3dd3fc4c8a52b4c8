package names

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/amendment"
	"zproxy/catalog/keytext"
	"zproxy/catalog/policy"
	"zproxy/catalog/privilege"
	"zproxy/catalog/routine"
	"zproxy/catalog/syscat"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/system"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Find implements system.Objects.
func (v *View) Find(class, text string) (uint32, error) {
	kinds := map[string]types.OID{
		"pg_class": types.OIDRegclass, "pg_type": types.OIDRegtype, "pg_proc": types.OIDRegprocedure,
		"pg_namespace": types.OIDRegnamespace, "pg_authid": types.OIDRegrole,
	}
	if kind, ok := kinds[class]; ok {
		return v.OIDOf(kind, text)
	}
	parts, err := Split(text)
	if err != nil {
		return 0, err
	}
	name := strings.Join(parts, ".")
	if class == "pg_database" {
		if d := v.DatabaseNames.Find(v.Catalog, name); d != nil {
			return d.ID, nil
		}
		return 0, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	if id := v.System.KnownOID(class, name); id != 0 {
		return id, nil
	}
	if id := foreignClasses[class]; id != 0 && name == v.Server {
		return id, nil
	}
	what := strings.TrimPrefix(class, "pg_")
	switch class {
	case "pg_foreign_data_wrapper":
		what = "foreign-data wrapper"
	case "pg_foreign_server":
		what = "server"
	}
	return 0, sqlerr.New(sqlerr.UndefinedObject, "%s \"%s\" does not exist", what, name)
}

// foreignClasses are the numbers of what the store has beside our tables.
var foreignClasses = map[string]uint32{"pg_foreign_data_wrapper": syscat.WrapperID,
	"pg_foreign_server": syscat.ServerID}

// Belongs implements system.Objects.
func (v *View) Belongs(role, to uint32) system.Membership {
	return system.Membership{Member: v.Catalog.Superuser(role) || v.Catalog.Belongs(role, to),
		Usage: v.Catalog.Acts(role, to),
		Admin: v.Catalog.Administers(role, to)}
}

// Privileges implements system.Objects.
func (v *View) Privileges(role uint32, class string, oid uint32, column int16) (have, options system.Privileges) {
	h, g := v.privileges(role, class, oid, column)
	return system.Privileges(h), system.Privileges(g)
}

func (v *View) privileges(role uint32, class string, oid uint32, column int16) (have, options catalog.Privileges) {
	snap := v.Catalog
	switch class {
	case "pg_namespace":
		if schema := snap.SchemaByID(oid); schema != nil {
			return snap.Privileges(role, schema)
		}
	case "pg_database":
		if d := snap.DatabaseByID(oid); d != nil {
			return snap.Privileges(role, d)
		}
	case "pg_proc":
		if f := snap.FunctionByID(oid); f != nil {
			return snap.Privileges(role, f)
		}
	case "pg_type":
		if t, _ := snap.TypeOf(types.OID(oid)); t != nil {
			return snap.Privileges(role, t)
		}
	case "pg_class":
		switch r := snap.Numbered(oid).(type) {
		case catalog.Owned:
			if column == system.AnyColumn {
				return privilege.OnAnyColumn(snap, role, r)
			}
			return privilege.OnColumn(snap, role, r, column)
		case *catalog.Virtual:
			return snap.Held(role, syscat.ACL(snap, r), catalog.BootstrapID)
		}
		if t := compositeType(v, oid); t != nil {
			return snap.Held(role, catalog.DefaultACL('r', t.OwnerID()), t.OwnerID())
		}
	}
	if a := snap.Amended(class, oid); a != nil {
		return snap.Privileges(role, a)
	}
	return snap.Held(role, catalog.DefaultACL(amendment.ACLKind(class), catalog.BootstrapID), catalog.BootstrapID)
}

// Object implements system.Objects.
func (v *View) Object(class string, oid uint32) *system.Object {
	out := v.find(class, oid)
	if p := v.Catalog.PlainByID(oid); out == nil && p != nil && p.Catalog() == class {
		out = &system.Object{Name: p.Name, Schema: p.Schema, Visible: seesPlain(v, p),
			Comment: p.Comment}
		if p.Filters != nil {
			out.Expressions = func(l system.Layout) []string { return filters(v, p, l) }
		}
	}
	if a := v.Catalog.Amended(class, oid); a != nil && out != nil {
		out.Comment = a.Comment
	} else if out != nil && out.Comment == "" {
		out.Comment = v.System.Comment(class, oid)
	}
	return out
}

// seesPlain says whether the search path leads to an object. Only collations hide each other by their names.
func seesPlain(v *View, p *catalog.Plain) bool {
	return p.Kind != catalog.CollationKind ||
		catalog.CollationName(v.Catalog, p.ID, v.Path, expr.QuoteIdent) == expr.QuoteIdent(p.Name)
}

// partOfRelation is what belongs to a relation, and has a number of its own.
func partOfRelation(v *View, class string, oid uint32) *system.Object {
	switch class {
	case "pg_constraint":
		return v.constraint(oid)
	case "pg_policy":
		return policyObject(v, oid)
	}
	return triggers{v}.orRule(class, oid)
}

// largeObject is what is said of a large object. One that cannot be read is none.
func largeObject(v *View, oid uint32) *system.Object {
	x, err := v.Large(oid)
	if err != nil || x == nil {
		return nil
	}
	return &system.Object{Name: strconv.FormatUint(uint64(oid), 10), Comment: x.Comment}
}

func (v *View) find(class string, oid uint32) *system.Object {
	switch class {
	case "pg_class":
		return v.relation(oid)
	case "pg_statistic_ext":
		return v.statisticsObject(oid)
	case "pg_largeobject":
		return largeObject(v, oid)
	case "pg_constraint", "pg_rewrite", "pg_trigger", "pg_policy":
		return partOfRelation(v, class, oid)
	case "pg_type":
		if info := types.InfoOf(types.OID(oid)); info.OID == types.OID(oid) && oid != 0 {
			return &system.Object{Name: info.Name, Schema: catalog.PgCatalogName, Visible: true}
		}
		if name := v.System.Known(class, oid); name != "" {
			return &system.Object{Name: name, Schema: catalog.PgCatalogName, Visible: true}
		}
		if t, array := v.Catalog.TypeOf(types.OID(oid)); t != nil {
			return userTypeObject(v, t, array, userType(v, []string{t.Name}) == t)
		}
		if r, array := v.Catalog.RowTypeOf(oid); r != nil {
			return rowTypeObject(r.Ref(), array)
		}
	case "pg_proc":
		if f := v.Catalog.FunctionByID(oid); f != nil {
			return &system.Object{Name: f.Name, Schema: f.Schema, Visible: procedures{v}.sees(f), Comment: f.Comment,
				Proc: routine.Proc(f, procedures{v}.typeText)}
		}
		if p := builtin.ProcByOID(oid); p != nil {
			if schema := syscat.ProcSchema(v.Catalog, p); schema != "" {
				return &system.Object{Name: p.Name, Schema: schema, Comment: p.Comment, Proc: p,
					Visible: schema == catalog.PgCatalogName || slices.Contains(v.Path, schema)}
			}
		}
	case "pg_operator":
		return procedures{v}.operator(oid)
	case "pg_opclass", "pg_opfamily":
		return operatorClass(v, class, oid)
	case "pg_extension":
		if x := v.Catalog.ExtensionByID(oid); x != nil {
			return &system.Object{Name: x.Name, Visible: true, Comment: x.Comment}
		}
	case "pg_namespace":
		if schema := v.Catalog.SchemaByID(oid); schema != nil {
			return &system.Object{Name: schema.Name, Comment: schema.Comment}
		}
	case "pg_authid":
		if r := v.Catalog.RoleByID(oid); r != nil {
			return &system.Object{Name: RoleName(v.Catalog, oid, v.Bootstrap), Comment: r.Comment}
		}
	case "pg_database":
		if d := v.Catalog.DatabaseByID(oid); d != nil {
			return &system.Object{Name: v.DatabaseNames.Of(v.Catalog, d), Comment: d.Comment,
				Bytes: databaseBytes(v, d)}
		}
	default:
		if foreignClasses[class] == oid && oid != 0 && v.Server != "" {
			return &system.Object{Name: v.Server, Visible: true}
		}
		if name := v.System.Known(class, oid); name != "" {
			known := &system.Object{Name: name, Visible: true, Bytes: func() (int64, error) { return 0, nil }}
			if name == defaultTablespace {
				known.Bytes = v.everything
			}
			return known
		}
	}
	return nil
}

// operatorClass finds a class or a family of operators.
func operatorClass(v *View, class string, oid uint32) *system.Object {
	if name, schema := syscat.ExtensionClass(v.Catalog, oid); name != "" {
		return &system.Object{Name: name, Schema: schema, Visible: slices.Contains(v.Path, schema)}
	}
	if name := v.System.Known(class, oid); name != "" {
		return &system.Object{Name: name, Visible: true}
	}
	return nil
}

// defaultTablespace is where everything is.
const defaultTablespace = "pg_default"

func (v *View) relation(oid uint32) *system.Object {
	r := v.Catalog.Numbered(oid)
	if r == nil {
		if t := compositeType(v, oid); t != nil {
			return compositeObject(t, userType(v, []string{t.Name}) == t)
		}
		return nil
	}
	ref := r.Ref()
	visible, err := v.Relation([]string{ref.Name})
	out := &system.Object{Name: ref.Name, Schema: ref.Schema, Visible: err == nil && visible == oid}
	switch r := r.(type) {
	case *catalog.Table:
		out.Guarded = policy.Binds(v.Catalog, r, v.As)
		if out.Comment, out.Relation = r.Comment, v.tableObject(r); r.Materialized != nil {
			out.Relation.Kind, out.Relation.ReadOnly = system.MaterializedRelation, true
			out.Definition = func(l system.Layout) string { return v.viewDefinition(catalog.QueryOf(r), l) }
		}
	case *catalog.View:
		out.Comment, out.Relation = r.Comment, v.viewObject(r)
		out.Definition = func(l system.Layout) string { return v.viewDefinition(r, l) }
	case *catalog.Sequence:
		out.Comment, out.Relation = r.Comment, sequenceObject
	case *catalog.Virtual:
		out.Comment, out.Relation = r.Comment, virtualObject(r)
	case catalog.TableIndex:
		out.Comment, out.Relation = indexComment(r), v.indexObject(r)
		out.Definition = func(l system.Layout) string { return v.indexDefinition(r, l.Pretty) }
		if r.Index != nil && r.Index.Partial() {
			out.Relation.Condition = func(l system.Layout) string { return v.Condition(r, l) }
		}
		if indexExpressions(v, r, system.Layout{}) != "" {
			out.Relation.Expressions = func(l system.Layout) string { return indexExpressions(v, r, l) }
		}
	}
	return out
}

// rowTypeObject is the type of a relation's rows, or of arrays of them.
func rowTypeObject(ref catalog.Ref, array bool) *system.Object {
	name := ref.Name
	if array {
		name = "_" + name
	}
	return &system.Object{Name: name, Schema: ref.Schema}
}

func (v *View) tableObject(t *catalog.Table) *system.RelationObject {
	out := &system.RelationObject{Kind: system.TableRelation}
	if t.Foreign != nil {
		out.Kind, out.ReadOnly = system.ForeignRelation, !t.Foreign.Updatable() // nothing of it is here
	} else {
		out.Estimate = t.Stats.Rows * rowWidth(t, nil)
		out.Bytes, out.IndexBytes = v.rowBytes(t), v.indexBytes(t)
	}
	if t.PrimaryKey != "" {
		out.PrimaryKey = t.KeyID
	}
	if t.Partitioning != nil {
		out.PartitionKey, out.Keys = partitionKey(v, t), len(t.Partitioning.Keys)
	}
	if t.PartitionOf != nil {
		out.PartitionOf = t.PartitionOf.Parent
	}
	out.Divided = t.Partitioning != nil
	for _, p := range v.Catalog.Partitions(t.ID) {
		out.Partitions = append(out.Partitions, p.ID)
	}
	if bound, err := stored.In(v.Catalog).Bound(t); err == nil && bound != nil {
		out.Range = boundText(expr.Conjoin(bound))
	}
	for _, c := range t.Columns {
		if !c.Hidden {
			col := system.ObjectColumn{Number: int64(c.ID), Name: c.Name, Comment: c.Comment}
			if c.Default != "" && c.Identity == catalog.NoIdentity {
				col.Default = func(l system.Layout) string { return v.defaultText(c, l) }
			}
			if c.Generated != nil {
				col.Default = func(l system.Layout) string { return generatedText(v, t, c, l) }
			}
			out.Columns = append(out.Columns, col)
		}
	}
	return out
}

func (v *View) viewObject(of *catalog.View) *system.RelationObject {
	columns, ok := of.Updatable(v.Catalog)
	out := &system.RelationObject{Kind: system.ViewRelation, ReadOnly: !ok}
	for i, c := range of.Columns {
		col := system.ObjectColumn{Number: int64(i + 1), Name: c.Name, Comment: c.Comment, Computed: !columns[i]}
		if c.Default != "" {
			col.Default = func(l system.Layout) string { return v.defaultText(c.AsColumn(), l) }
		}
		out.Columns = append(out.Columns, col)
	}
	return out
}

func virtualObject(v *catalog.Virtual) *system.RelationObject {
	out := &system.RelationObject{Kind: system.TableRelation}
	if v.Kind == catalog.ViewKind {
		out.Kind, out.ReadOnly = system.ViewRelation, true
	}
	for i, c := range v.Columns {
		out.Columns = append(out.Columns, system.ObjectColumn{Number: int64(i + 1), Name: c.Name})
	}
	return out
}

var sequenceObject = &system.RelationObject{Kind: system.SequenceRelation, Columns: []system.ObjectColumn{
	{Number: 1, Name: "last_value"}, {Number: 2, Name: "log_cnt"}, {Number: 3, Name: "is_called"},
}}

func indexComment(x catalog.TableIndex) string {
	if x.Index == nil {
		return x.Table.IndexComment
	}
	return x.Index.Comment
}

func (v *View) indexObject(x catalog.TableIndex) *system.RelationObject {
	out := &system.RelationObject{Kind: system.IndexRelation, Method: string(catalog.BTree)}
	if x.Index != nil {
		out.Method, out.Estimate = string(x.Index.Method), entriesWidth(x.Table, x.Index)
		if x.Table.Foreign == nil {
			out.Bytes = v.entryBytes(x.Table, x.Index)
		}
	}
	var ids []uint32
	for _, c := range x.Columns() {
		ids = append(ids, c.ID)
	}
	columns := x.Columns()
	for i, name := range keytext.Names(x.Table, ids) {
		c := columns[i]
		column := system.ObjectColumn{Number: int64(i + 1), Name: name, Desc: c.Desc,
			NullsFirst: c.Desc != c.NullsSwapped}
		if of := &x.Table.Columns[x.Table.Ordinal(c.ID)]; of.Expression() {
			column.Default = func(l system.Layout) string { return keyColumn(v, x.Table, of, l) }
		}
		if out.Columns = append(out.Columns, column); !c.Included {
			out.Keys++
		}
	}
	return out
}
