package session

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// objects tells functions of the catalog, as the transaction sees it.
type objects struct{ s *Session }

// oidOfDatabase is that of the first database which a user makes in PostgreSQL.
const oidOfDatabase = 5

// Find implements expr.Objects.
func (o objects) Find(class, text string) (uint32, error) {
	kinds := map[string]types.OID{
		"pg_class": types.OIDRegclass, "pg_type": types.OIDRegtype, "pg_proc": types.OIDRegprocedure,
		"pg_namespace": types.OIDRegnamespace, "pg_authid": types.OIDRegrole,
	}
	if kind, ok := kinds[class]; ok {
		return names(o).OIDOf(kind, text)
	}
	parts, err := splitName(text)
	if err != nil {
		return 0, err
	}
	name := strings.Join(parts, ".")
	if class == "pg_database" {
		if name == o.s.database {
			return oidOfDatabase, nil
		}
		return 0, sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
	}
	if id := o.s.db.relations.KnownOID(class, name); id != 0 {
		return id, nil
	}
	if id := foreignClasses[class]; id != 0 && name == o.s.server() {
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
var foreignClasses = map[string]uint32{"pg_foreign_data_wrapper": syscat.WrapperID, "pg_foreign_server": syscat.ServerID}

// Role implements expr.Objects.
func (o objects) Role() uint32 { return o.s.role() }

// Belongs implements expr.Objects.
func (o objects) Belongs(role, to uint32) expr.Membership {
	snap := o.s.schema()
	return expr.Membership{Member: snap.Member(role, to), Usage: snap.Acts(role, to), Admin: snap.Administers(role, to)}
}

// Privileges implements expr.Objects.
func (o objects) Privileges(role uint32, class string, oid uint32) (have, options expr.Privileges) {
	h, g := o.privileges(role, class, oid)
	return expr.Privileges(h), expr.Privileges(g)
}

// aclKinds are the letters of acldefault for objects that nobody can grant anything on.
var aclKinds = map[string]byte{
	"pg_proc": 'f', "pg_type": 'T', "pg_language": 'l', "pg_tablespace": 't', "pg_foreign_data_wrapper": 'F', "pg_foreign_server": 'S',
}

func (o objects) privileges(role uint32, class string, oid uint32) (have, options catalog.Privileges) {
	snap := o.s.schema()
	switch class {
	case "pg_namespace":
		for _, schema := range snap.Schemas() {
			if schema.ID == oid {
				return snap.Privileges(role, schema)
			}
		}
	case "pg_database":
		return snap.Privileges(role, snap.Database())
	case "pg_class":
		switch r := snap.Numbered(oid).(type) {
		case catalog.Owned:
			return snap.Privileges(role, r)
		case *catalog.Virtual:
			return snap.Held(role, syscat.ACL(r), catalog.BootstrapID)
		}
	}
	return snap.Held(role, catalog.DefaultACL(aclKinds[class], catalog.BootstrapID), catalog.BootstrapID)
}

// Object implements expr.Objects.
func (o objects) Object(class string, oid uint32) *expr.Object {
	out := o.find(class, oid)
	if out != nil && out.Comment == "" {
		out.Comment = o.s.db.relations.Comment(class, oid)
	}
	return out
}

func (o objects) find(class string, oid uint32) *expr.Object {
	switch class {
	case "pg_class":
		return o.relation(oid)
	case "pg_constraint":
		return o.constraint(oid)
	case "pg_rewrite":
		return o.rule(oid)
	case "pg_type":
		if info := types.InfoOf(types.OID(oid)); info.OID == types.OID(oid) && oid != 0 {
			return &expr.Object{Name: info.Name, Schema: catalog.PgCatalogName, Visible: true}
		}
		if name := o.s.db.relations.Known(class, oid); name != "" {
			return &expr.Object{Name: name, Schema: catalog.PgCatalogName, Visible: true}
		}
		if r, array := o.s.schema().RowTypeOf(oid); r != nil {
			return rowTypeObject(r.Ref(), array)
		}
	case "pg_proc":
		if p := expr.ProcByOID(oid); p != nil {
			return &expr.Object{Name: p.Name, Schema: p.Schema, Visible: p.Schema == catalog.PgCatalogName, Comment: p.Comment, Proc: p}
		}
	case "pg_operator":
		if op := expr.OperatorByOID(oid); op != nil {
			return &expr.Object{Name: op.Name, Schema: catalog.PgCatalogName, Visible: true, Comment: op.Comment}
		}
	case "pg_namespace":
		for _, schema := range o.s.schema().Schemas() {
			if schema.ID == oid {
				return &expr.Object{Name: schema.Name, Comment: schema.Comment}
			}
		}
	case "pg_authid":
		if r := o.s.schema().RoleByID(oid); r != nil {
			return &expr.Object{Name: o.s.roleName(o.s.schema(), oid), Comment: r.Comment}
		}
	case "pg_database":
		if oid == oidOfDatabase {
			return &expr.Object{Name: o.s.database, Bytes: o.everything}
		}
	default:
		if foreignClasses[class] == oid && oid != 0 && o.s.server() != "" {
			return &expr.Object{Name: o.s.server(), Visible: true}
		}
		if name := o.s.db.relations.Known(class, oid); name != "" {
			known := &expr.Object{Name: name, Visible: true, Bytes: func() (int64, error) { return 0, nil }}
			if name == defaultTablespace {
				known.Bytes = o.everything
			}
			return known
		}
	}
	return nil
}

// defaultTablespace is where everything is.
const defaultTablespace = "pg_default"

func (o objects) relation(oid uint32) *expr.Object {
	r := o.s.schema().Numbered(oid)
	if r == nil {
		return nil
	}
	ref := r.Ref()
	visible, err := names(o).relation([]string{ref.Name})
	out := &expr.Object{Name: ref.Name, Schema: ref.Schema, Visible: err == nil && visible == oid}
	switch r := r.(type) {
	case *catalog.Table:
		out.Comment, out.Relation = r.Comment, o.tableObject(r)
	case *catalog.View:
		out.Comment, out.Relation = r.Comment, viewObject(r)
		out.Definition = func(l expr.Layout) string { return o.viewDefinition(r, l) }
	case *catalog.Sequence:
		out.Comment, out.Relation = r.Comment, sequenceObject
	case *catalog.Virtual:
		out.Comment, out.Relation = r.Comment, virtualObject(r)
	case catalog.TableIndex:
		out.Comment, out.Relation = indexComment(r), o.indexObject(r)
		out.Definition = func(l expr.Layout) string { return o.indexDefinition(r, l.Pretty) }
		if r.Index != nil && r.Index.Partial() {
			out.Relation.Condition = func(l expr.Layout) string { return o.indexCondition(r, l) }
		}
	}
	return out
}

// rowTypeObject is the type of a relation's rows, or of arrays of them.
func rowTypeObject(ref catalog.Ref, array bool) *expr.Object {
	name := ref.Name
	if array {
		name = "_" + name
	}
	return &expr.Object{Name: name, Schema: ref.Schema}
}

func (o objects) tableObject(t *catalog.Table) *expr.RelationObject {
	out := &expr.RelationObject{Kind: expr.TableRelation}
	if t.Foreign != nil {
		out.Kind = expr.ForeignRelation // nothing of it is here
	} else {
		out.Estimate = t.Stats.Rows * rowWidth(t, nil)
		out.Bytes, out.IndexBytes = o.rowBytes(t), o.indexBytes(t)
	}
	if t.PrimaryKey != "" {
		out.PrimaryKey = t.KeyID
	}
	for _, c := range t.Columns {
		if !c.Hidden {
			col := expr.ObjectColumn{Number: int64(c.ID), Name: c.Name, Comment: c.Comment}
			if c.Default != "" && c.Identity == catalog.NoIdentity {
				col.Default = func(l expr.Layout) string { return o.defaultText(c, l) }
			}
			out.Columns = append(out.Columns, col)
		}
	}
	return out
}

func viewObject(v *catalog.View) *expr.RelationObject {
	out := &expr.RelationObject{Kind: expr.ViewRelation}
	for i, c := range v.Columns {
		out.Columns = append(out.Columns, expr.ObjectColumn{Number: int64(i + 1), Name: c.Name, Comment: c.Comment})
	}
	return out
}

func virtualObject(v *catalog.Virtual) *expr.RelationObject {
	out := &expr.RelationObject{Kind: expr.TableRelation}
	if v.Kind == catalog.ViewKind {
		out.Kind = expr.ViewRelation
	}
	for i, c := range v.Columns {
		out.Columns = append(out.Columns, expr.ObjectColumn{Number: int64(i + 1), Name: c.Name})
	}
	return out
}

var sequenceObject = &expr.RelationObject{Kind: expr.SequenceRelation, Columns: []expr.ObjectColumn{
	{Number: 1, Name: "last_value"}, {Number: 2, Name: "log_cnt"}, {Number: 3, Name: "is_called"},
}}

func indexComment(x catalog.TableIndex) string {
	if x.Index == nil {
		return x.Table.IndexComment
	}
	return x.Index.Comment
}

func (o objects) indexObject(x catalog.TableIndex) *expr.RelationObject {
	out := &expr.RelationObject{Kind: expr.IndexRelation, Method: string(catalog.BTree)}
	if x.Index != nil {
		out.Method, out.Estimate = string(x.Index.Method), entriesWidth(x.Table, x.Index)
		if x.Table.Foreign == nil {
			out.Bytes = o.entryBytes(x.Table, x.Index)
		}
	}
	for i, c := range x.Columns() {
		of := x.Table.Columns[x.Table.Ordinal(c.ID)]
		out.Columns = append(out.Columns, expr.ObjectColumn{Number: int64(i + 1), Name: of.Name, Desc: c.Desc})
		if !c.Included {
			out.Keys++
		}
	}
	return out
}
