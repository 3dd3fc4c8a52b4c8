package session

import (
	"context"
	"slices"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/copy/copytext"
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
	writes := !reads && s.mayWrite()
	if writes {
		if err := s.awaitTurn(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := s.store(ctx, writes); err != nil {
		return nil, err
	}
	st := &Statement{tree: tree, planned: tree, text: p.statement.text, noParams: true}
	if err := s.plan(st); err != nil {
		return nil, err
	}
	if err := s.allow(st); err != nil {
		return nil, err
	}
	return st, st.notify(c)
}

// copyFormat is the format that a COPY names.
func copyFormat(tree *ast.Copy) (copytext.Format, copyOptions, error) {
	var options []copytext.Option
	own := copyOptions{}
	for _, o := range tree.Options {
		taken, err := own.take(o, tree)
		if err != nil {
			return copytext.Format{}, own, err
		}
		if taken {
			continue
		}
		options = append(options, copytext.Option{Name: o.Name, Value: o.Value, List: o.List, Pos: int(o.Pos)})
	}
	format, err := copytext.ParseOptions(options, tree.To)
	return format, own, err
}

// copyOptions are those of a COPY FROM that say how its rows are written, not what its data looks like.
type copyOptions struct {
	workers int  // parts that are written at once; 0: as many as the store bears
	inOrder bool // rows are written in about the order of the data
	named   []string
}

// mostWorkers bounds the option workers.
const mostWorkers = 1000

// take says whether an option is one of these.
func (c *copyOptions) take(o ast.Option, tree *ast.Copy) (bool, error) {
	if tree.To || o.Name != "workers" && o.Name != "shuffle" {
		return false, nil
	}
	if slices.Contains(c.named, o.Name) {
		return true, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(o.Pos))
	}
	c.named = append(c.named, o.Name)
	if o.Name == "shuffle" {
		shuffle, ok := copytext.Boolean(o.Value)
		if !ok || o.List != nil {
			return true, sqlerr.New(sqlerr.SyntaxError, "shuffle requires a Boolean value")
		}
		c.inOrder = !shuffle
		return true, nil
	}
	n, err := strconv.Atoi(o.Value)
	if err != nil || n < 1 || n > mostWorkers {
		return true, sqlerr.New(sqlerr.InvalidParameterValue, "argument to option \"workers\" must be an integer between 1 and %d", mostWorkers).At(int(o.Pos))
	}
	c.workers = n
	return true, nil
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
