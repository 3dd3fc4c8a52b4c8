package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestNothingDropped sets, one at a time, each field that is empty in a tree of the
// scripts, and each that has one of several values to each other one. The conversion must then fail or come out
// differently; otherwise there is a clause that it drops in silence.
func TestNothingDropped(t *testing.T) {
	m := mutator{t: t, dropped: map[string]bool{}, changed: map[string]bool{}}
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string {
			tree, refused := postgres(d.Input, nil)
			if m.tree, m.sql = tree, d.Input; refused == nil {
				if want, ok := m.converted(); ok {
					m.want = want
					m.walk(tree.ProtoReflect())
				}
			}
			return d.Expected
		})
	})
	for field := range m.dropped {
		if !m.changed[field] {
			t.Error(field)
		}
	}
	if m.tried < 1000 {
		t.Errorf("only %d fields tried", m.tried)
	}
}

type mutator struct {
	t       *testing.T
	tree    *pg.ParseResult
	sql     string
	want    string
	tried   int
	dropped map[string]bool
	changed map[string]bool // values that come out otherwise somewhere
}

// converted is the tree as it is now, with all that is not a position.
func (m *mutator) converted() (string, bool) {
	all, err := convert(m.tree, source{text: m.sql, grammar: m.sql})
	if err != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range all {
		b.WriteString(tree{}.format(p.Statement) + fmt.Sprint(p.Clauses))
	}
	return b.String(), true
}

func (m *mutator) walk(msg protoreflect.Message) {
	fields := msg.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case !msg.Has(f):
			m.try(msg, f)
		case f.Enum() != nil:
			m.others(msg, f)
		case repeated(msg, f):
		case f.Message() == nil:
		case f.IsList():
			for k := range msg.Get(f).List().Len() {
				m.walk(msg.Get(f).List().Get(k).Message())
			}
		default:
			m.walk(msg.Get(f).Message())
		}
	}
}

// repeated says whether a field has what is converted elsewhere: the second and later
// columns of SET (a, b) = ... come with the source of the first.
func repeated(msg protoreflect.Message, f protoreflect.FieldDescriptor) bool {
	ref, ok := msg.Interface().(*pg.MultiAssignRef)
	return ok && ref.Colno > 1 && f.Name() == "source"
}

// try sets a field, converts, and takes it back.
func (m *mutator) try(msg protoreflect.Message, f protoreflect.FieldDescriptor) {
	name := string(msg.Descriptor().Name()) + "." + string(f.Name())
	if f.ContainingOneof() != nil || byAnalysis(name) {
		return
	}
	m.tried++
	msg.Set(f, filled(msg, f))
	if got, ok := m.converted(); ok && got == m.want {
		m.dropped[name] = true
	}
	msg.Clear(f)
}

// survives is converted of a tree that the grammar may never make, on which the converter may panic.
func (m *mutator) survives() (text string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return m.converted()
}

// others sets a field to the other values of its enum, and takes them back. A value that the
// grammar cannot put there may come out as it likes.
func (m *mutator) others(msg protoreflect.Message, f protoreflect.FieldDescriptor) {
	name := string(msg.Descriptor().Name()) + "." + string(f.Name())
	if byAnalysis(name) {
		return
	}
	was := msg.Get(f)
	for i := range f.Enum().Values().Len() {
		value := f.Enum().Values().Get(i)
		if value.Number() == was.Enum() || value.Number() == 0 || byAnalysis(name+"="+string(value.Name())) {
			continue
		}
		m.tried++
		msg.Set(f, protoreflect.ValueOfEnum(value.Number()))
		if got, ok := m.survives(); ok && got == m.want {
			m.dropped[name+"="+string(value.Name())] = true
		} else {
			m.changed[name+"="+string(value.Name())] = true
		}
	}
	msg.Set(f, was)
}

func filled(msg protoreflect.Message, f protoreflect.FieldDescriptor) protoreflect.Value {
	switch {
	case f.IsList():
		list := msg.NewField(f)
		list.List().Append(filledMessage(list.List().NewElement()))
		return list
	case f.Message() != nil:
		return filledMessage(msg.NewField(f))
	case f.Enum() != nil:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(f.Enum().Values().Len() - 1))
	case f.Kind() == protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case f.Kind() == protoreflect.StringKind:
		return protoreflect.ValueOfString("mutated")
	case f.Kind() == protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(1)
	}
	return protoreflect.ValueOfInt32(1)
}

// filledMessage fills a message so that what looks at it finds something.
func filledMessage(v protoreflect.Value) protoreflect.Value {
	if node, ok := v.Message().Interface().(*pg.Node); ok {
		node.Node = &pg.Node_String_{String_: &pg.String{Sval: "mutated"}}
		return v
	}
	for i := range v.Message().Descriptor().Fields().Len() {
		if f := v.Message().Descriptor().Fields().Get(i); f.Kind() == protoreflect.StringKind {
			v.Message().Set(f, protoreflect.ValueOfString("mutated"))
		}
	}
	return v
}

// byAnalysis says which fields the grammar never sets, or never where they matter.
func byAnalysis(field string) bool {
	return strings.HasPrefix(field, "ParseResult.") || strings.HasSuffix(field, ".xpr") ||
		strings.HasSuffix(field, "location") || strings.Contains(analysis, "\n"+field+"\n") ||
		strings.Contains(elsewhere, "\n"+field+": ")
}

// analysis is what PostgreSQL sets after parsing, in nodes that the grammar makes.
const analysis = `
AlterOwnerStmt.relation
AlterPublicationStmt.for_all_tables
AlterSeqStmt.for_identity
AlterTableCmd.recurse
CallStmt.funcexpr
CallStmt.outargs
CaseExpr.casecollid
CaseExpr.casetype
CoalesceExpr.coalescecollid
CoalesceExpr.coalescetype
ColumnDef.coll_oid
ColumnDef.cooked_default
ColumnDef.generated
ColumnDef.identity
ColumnDef.identity_sequence
ColumnDef.inhcount
ColumnDef.is_from_type
ColumnDef.is_local
ColumnDef.is_not_null
ColumnDef.raw_default
ColumnDef.storage
CTECycleClause.cycle_mark_collation
CTECycleClause.cycle_mark_neop
CTECycleClause.cycle_mark_type
CTECycleClause.cycle_mark_typmod
CommonTableExpr.ctecolcollations
CommonTableExpr.ctecolnames
CommonTableExpr.ctecoltypes
CommonTableExpr.ctecoltypmods
CommonTableExpr.cterecursive
CommonTableExpr.cterefcount
Constraint.cooked_expr
Constraint.inhcount
Constraint.old_conpfeqop
Constraint.old_pktable_oid
Constraint.reset_default_tblspc
CreateSeqStmt.for_identity
CreateSeqStmt.owner_id
CreateStatsStmt.stxcomment
CreateStatsStmt.transformed
CreateStmt.constraints
CreateTableAsStmt.is_select_into
GroupingFunc.agglevelsup
GroupingFunc.refs
IndexElem.indexcolname
IndexStmt.deferrable
IndexStmt.idxcomment
IndexStmt.index_oid
IndexStmt.initdeferred
IndexStmt.isconstraint
IndexStmt.old_create_subid
IndexStmt.old_first_relfilelocator_subid
IndexStmt.old_number
IndexStmt.primary
IndexStmt.reset_default_tblspc
IndexStmt.transformed
IntoClause.view_query
JoinExpr.rtindex
JsonBehavior.coerce
JsonFuncExpr.column_name
JsonParseExpr.output
JsonReturning.typid
JsonReturning.typmod
JsonScalarExpr.output
JsonValueExpr.formatted_expr
MergeSupportFunc.msfcollid
MergeSupportFunc.msftype
MinMaxExpr.inputcollid
MinMaxExpr.minmaxcollid
MinMaxExpr.minmaxtype
NullTest.argisrow
RowExpr.colnames
RowExpr.row_typeid
SQLValueFunction.type
SetToDefault.collation
SetToDefault.type_id
SetToDefault.type_mod
SubLink.sub_link_id
TableLikeClause.relation_oid
TypeName.pct_type
TypeName.type_oid
VacuumRelation.oid
`

// elsewhere is what the grammar sets only in the case that follows.
const elsewhere = `
A_Const.isnull: only NULL, which has no value
CollateClause.arg: only in expressions
ColumnDef.coll_clause: never without a name
Constraint.access_method: EXCLUDE
Constraint.conname: of NOT NULL and DEFAULT, which PostgreSQL 15 drops, too
Constraint.exclusions: EXCLUDE
Constraint.fk_attrs: FOREIGN KEY
Constraint.fk_del_action: FOREIGN KEY
Constraint.fk_del_set_cols: FOREIGN KEY
Constraint.fk_matchtype: FOREIGN KEY
Constraint.fk_upd_action: FOREIGN KEY
Constraint.generated_when: IDENTITY, always there
Constraint.initially_valid: CHECK, FOREIGN KEY
Constraint.keys: not of a column
Constraint.pk_attrs: FOREIGN KEY
Constraint.pktable: FOREIGN KEY
Constraint.raw_expr: CHECK, DEFAULT
Constraint.where_clause: EXCLUDE
DeallocateStmt.name: not for ALL
FunctionParameter.name: the names of parameters tell no function from another
IndexStmt.exclude_op_names: EXCLUDE
JsonTable.lateral: a JSON_TABLE is so without the word
JsonTableColumn.columns: NESTED
JsonTableColumn.format: not for FOR ORDINALITY
JsonTableColumn.name: not for NESTED
JsonTableColumn.on_empty: not for FOR ORDINALITY
JsonTableColumn.on_error: not for FOR ORDINALITY
JsonTableColumn.pathspec: not for FOR ORDINALITY
JsonTableColumn.type_name: not for FOR ORDINALITY
JsonTablePathSpec.name: what a path is called, which nothing reads
OnConflictClause.target_list: DO UPDATE
OnConflictClause.where_clause: DO UPDATE
RangeFunction.is_rowsfrom: as the number of functions
RangeVar.inh: not for ONLY, which ALTER TABLE accepts
RawStmt.stmt_len: a position
ResTarget.val: not in the columns of INSERT
TypeName.setof: means nothing in casts, as in PostgreSQL
VariableSetStmt.args: not for RESET
VariableSetStmt.name: not for RESET ALL
`
