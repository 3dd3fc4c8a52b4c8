package session

import (
	"context"

	"zproxy/encoding/copytext"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// copy runs COPY. As in PostgreSQL, what it names is looked up when it runs: until then the
// table need not exist.
func (s *Session) copy(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	if tree.To {
		return s.copyTo(ctx, tree, p, c)
	}
	return s.copyFrom(ctx, tree, p, c)
}

// planCopied plans what a COPY reads or writes, with the schema that it will meet.
func (s *Session) planCopied(ctx context.Context, p *Portal, tree ast.Statement, c Client) (*Statement, error) {
	_, reads := tree.(*ast.Select)
	writes := !reads && !s.readOnly()
	if writes {
		if err := s.awaitTurn(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := s.store(ctx, writes); err != nil {
		return nil, err
	}
	st := &Statement{tree: tree, text: p.statement.text, noParams: true}
	if err := s.plan(st); err != nil {
		return nil, err
	}
	if err := s.allow(st); err != nil {
		return nil, err
	}
	return st, st.notify(c)
}

// copyFormat is the format that a COPY names.
func copyFormat(tree *ast.Copy) (copytext.Format, error) {
	var options []copytext.Option
	for _, o := range tree.Options {
		options = append(options, copytext.Option{Name: o.Name, Value: o.Value, List: o.List, Pos: int(o.Pos)})
	}
	return copytext.ParseOptions(options, tree.To)
}

// copiedNames are the names of the columns that a COPY moves. The columns that its format
// names must be among those of the table.
func copiedNames(f copytext.Format, cols, all []plan.Column, table string) ([]string, error) {
	for _, list := range [][]string{f.ForceQuote, f.ForceNotNull, f.ForceNull} {
		seen := map[string]bool{}
		for _, name := range list {
			if !hasColumn(all, name) {
				if table == "" {
					return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name)
				}
				return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", name, table)
			}
			if seen[name] {
				return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", name)
			}
			seen[name] = true
		}
	}
	names := make([]string, len(cols))
	for i, col := range cols {
		names[i] = col.Name
	}
	return names, nil
}

func hasColumn(cols []plan.Column, name string) bool {
	for _, c := range cols {
		if c.Name == name {
			return true
		}
	}
	return false
}
