package parser

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestEveryFieldIsShown walks the grammar's trees of all statements in the scripts. Each field of
// each kind of node that is converted somewhere, and each option of its lists, must be in one of them, whether it
// is converted or refused there: so nothing that can be written is left without a line that shows what becomes of
// it.
func TestEveryFieldIsShown(t *testing.T) {
	s := shown{kinds: map[string]protoreflect.MessageDescriptor{}, fields: map[string]bool{}}
	for _, file := range shownBy(t) {
		datadriven.RunTest(t, file, func(_ *testing.T, d *datadriven.TestData) string {
			if tree, refused := postgres(d.Input, nil); refused == nil {
				_, err := convert(tree, source{text: d.Input, grammar: d.Input})
				s.statement(tree.ProtoReflect(), err == nil)
			}
			return d.Expected
		})
	}
	for _, missing := range s.missing() {
		t.Errorf("no script has %s", missing)
	}
}

// shownBy are the scripts with statements, here and of the whole.
func shownBy(t *testing.T) []string {
	var out []string
	for _, pattern := range []string{"testdata/scripts/*", "../e2e/testdata/clauses", "../e2e/testdata/unsupported"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		out = append(out, files...)
	}
	return out
}

type shown struct {
	kinds  map[string]protoreflect.MessageDescriptor // of nodes that are converted somewhere
	fields map[string]bool                           // Kind.field, Kind.field:option
}

func (s *shown) statement(m protoreflect.Message, converted bool) {
	kind := string(m.Descriptor().Name())
	if converted {
		s.kinds[kind] = m.Descriptor()
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		name := kind + "." + string(f.Name())
		s.fields[name] = true
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				item := v.List().Get(i).Message()
				s.option(name, item)
				s.statement(item, converted)
			}
		default:
			s.option(name, v.Message())
			s.statement(v.Message(), converted)
		}
		return true
	})
}

// option notes the name of an option in a list of a statement.
func (s *shown) option(name string, item protoreflect.Message) {
	if node, ok := item.Interface().(*pg.Node); ok && node.GetDefElem() != nil {
		s.fields[name+":"+node.GetDefElem().Defname] = true
	}
}

// missing are the fields, values and options that no statement has.
func (s *shown) missing() []string {
	var out []string
	for kind, d := range s.kinds {
		if kind == "Node" || strings.HasPrefix(kind, "Parse") {
			continue
		}
		for i := range d.Fields().Len() {
			f := d.Fields().Get(i)
			name := kind + "." + string(f.Name())
			if byAnalysis(name) {
				continue
			}
			if !s.fields[name] {
				out = append(out, name)
			}
		}
	}
	for list, options := range optionLists {
		for _, o := range strings.Fields(options) {
			if !s.fields[list+":"+o] {
				out = append(out, list+":"+o)
			}
		}
	}
	slices.Sort(out)
	return out
}

// optionLists are the options that PostgreSQL 15 knows, which its grammar reads as any word.
var optionLists = map[string]string{
	"ClusterStmt.params":      "verbose",
	"VacuumStmt.options":      "analyze verbose full freeze disable_page_skipping skip_locked index_cleanup process_toast truncate parallel",
	"ReindexStmt.params":      "concurrently verbose tablespace",
	"CopyStmt.options":        "format freeze delimiter null header quote escape force_quote force_not_null force_null encoding",
	"ExplainStmt.options":     "analyze verbose costs settings buffers wal timing summary format",
	"CreateRoleStmt.options":  "superuser createdb createrole inherit canlogin isreplication bypassrls connectionlimit password validUntil addroleto rolemembers adminmembers sysid",
	"AlterRoleStmt.options":   "superuser createdb createrole inherit canlogin isreplication bypassrls connectionlimit password validUntil rolemembers",
	"CreateSeqStmt.options":   "as increment minvalue maxvalue start cache cycle owned_by",
	"AlterSeqStmt.options":    "as increment minvalue maxvalue start cache cycle owned_by restart",
	"Constraint.options":      "start",
	"TransactionStmt.options": "transaction_isolation transaction_read_only transaction_deferrable",
	"VariableSetStmt.args":    "transaction_isolation transaction_read_only transaction_deferrable",
	"GrantRoleStmt.opt":       "admin",
	"ViewStmt.options":        "security_barrier security_invoker check_option",
	"CreateStmt.options":      "fillfactor oids",
	"IndexStmt.options":       "fillfactor deduplicate_items",
}
