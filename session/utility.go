package session

import (
	"context"
	"strings"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// endsTransaction says whether a statement is heard in a failed block.
func (st *Statement) endsTransaction() bool {
	t, ok := st.tree.(*ast.Transaction)
	return ok && (t.Kind == ast.Commit || t.Kind == ast.Rollback)
}

// utility runs the statements that are not planned.
func (s *Session) utility(ctx context.Context, p *Portal, c Client) (Outcome, error) {
	switch tree := p.statement.tree.(type) {
	case *ast.Set:
		return s.set(tree)
	case *ast.Show:
		return s.show(tree, p, c)
	case *ast.Transaction:
		return s.transact(ctx, tree, c)
	case *ast.CreateTable:
		return tag("CREATE TABLE", s.createTable(ctx, tree, c))
	case *ast.Drop:
		return tag("DROP TABLE", s.dropTable(ctx, tree, c))
	case *ast.CreateIndex:
		return tag("CREATE INDEX", s.createIndex(ctx, tree, c))
	case *ast.DropIndex:
		return tag("DROP INDEX", s.dropIndex(ctx, tree, c))
	case *ast.ShowIndex:
		return s.showIndex(tree, p, c)
	case *ast.Analyze:
		return tag("ANALYZE", s.analyzeTables(ctx, tree))
	default:
		return Outcome{}, sqlerr.Unsupported("this statement")
	}
}

func tag(name string, err error) (Outcome, error) { return Outcome{Tag: name}, err }

func (s *Session) set(tree *ast.Set) (Outcome, error) {
	if s.txn.saved == nil {
		s.txn.saved = s.settings.snapshot()
	}
	if tree.Local {
		return tag("SET", s.setLocal(tree))
	}
	switch {
	case tree.Name == "all" && tree.Default:
		return tag("RESET", s.settings.resetAll())
	case tree.Default:
		return tag("RESET", s.settings.reset(tree.Name))
	}
	return tag("SET", s.settings.set(tree.Name, tree.Value))
}

// setLocal gives a setting a value until the transaction ends.
func (s *Session) setLocal(tree *ast.Set) error {
	before, _ := s.settings.get(tree.Name)
	if err := s.settings.set(tree.Name, tree.Value); err != nil {
		return err
	}
	if s.txn.local == nil {
		s.txn.local = map[string]string{}
	}
	if _, there := s.txn.local[tree.Name]; !there {
		s.txn.local[tree.Name] = before
	}
	return nil
}

func (s *Session) show(tree *ast.Show, p *Portal, c Client) (Outcome, error) {
	out := types.NewBatch(len(p.Columns))
	if tree.Name == "all" {
		for _, row := range settingTable {
			value, _ := s.settings.get(row.name)
			r := out.Add()
			r[0], r[1], r[2] = types.NewText(row.name), types.NewText(value), types.NewText(row.note)
		}
		return tag("SHOW", c.Rows(p, out))
	}
	value, ok := s.settings.get(tree.Name)
	if !ok {
		return Outcome{}, unknownSetting(tree.Name)
	}
	out.Add()[0] = types.NewText(value)
	return tag("SHOW", c.Rows(p, out))
}

// transact runs BEGIN, COMMIT and ROLLBACK.
func (s *Session) transact(ctx context.Context, tree *ast.Transaction, c Client) (Outcome, error) {
	switch tree.Kind {
	case ast.Begin:
		return tag("BEGIN", s.begin(c))
	case ast.Start:
		return tag("START TRANSACTION", s.begin(c))
	case ast.Commit:
		if !s.txn.block {
			return tag("COMMIT", c.Notice(warning(sqlerr.NoActiveSQLTransaction, "there is no transaction in progress")))
		}
		if s.txn.failed {
			s.rollback()
			return tag("ROLLBACK", nil)
		}
		return tag("COMMIT", s.commit(ctx))
	case ast.Rollback:
		if !s.txn.block {
			return tag("ROLLBACK", c.Notice(warning(sqlerr.NoActiveSQLTransaction, "there is no transaction in progress")))
		}
		s.rollback()
		return tag("ROLLBACK", nil)
	default:
		return Outcome{}, sqlerr.Unsupported("SAVEPOINT")
	}
}

// begin starts a block, or warns inside of one.
func (s *Session) begin(c Client) error {
	if s.txn.block {
		return c.Notice(warning(sqlerr.ActiveSQLTransaction, "there is already a transaction in progress"))
	}
	s.txn.block = true
	return nil
}

func warning(code sqlerr.Code, text string) *sqlerr.Error {
	e := sqlerr.New(code, "%s", text)
	e.Severity = "WARNING"
	return e
}

// showIndexColumns are those of SHOW INDEX.
var showIndexColumns = []string{"Table", "Index", "Type", "Columns", "Stored", "Unique", "State"}

// showIndex lists the key of a table and its indexes.
func (s *Session) showIndex(tree *ast.ShowIndex, p *Portal, c Client) (Outcome, error) {
	t, err := s.planner(s.db.snapshot()).Table(tree.Table)
	if err != nil {
		return Outcome{}, err
	}
	out := types.NewBatch(len(p.Columns))
	add := func(cells ...string) {
		row := out.Add()
		for i, cell := range cells {
			row[i] = types.NewText(cell)
		}
	}
	name := func(id uint32) string { return t.Columns[t.Ordinal(id)].Name }
	if t.PrimaryKey != "" {
		add(t.Name, t.PrimaryKey, "primary", describeKey(t.Primary.Parts(), name), "all", "yes", "ACTIVE")
	}
	for _, x := range t.Indexes {
		stored := "key"
		if x.Covers {
			stored = "all"
		} else if len(x.Include) > 0 {
			var names []string
			for _, id := range x.Include {
				names = append(names, name(id))
			}
			stored = "key, " + strings.Join(names, ", ")
		}
		add(t.Name, x.Name, string(x.Method), describeKey(x.Layout.Parts(), name), stored, map[bool]string{true: "yes", false: "no"}[x.Unique], "ACTIVE")
	}
	return tag("SHOW INDEX", c.Rows(p, out))
}
