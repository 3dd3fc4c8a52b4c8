package copy

import (
	"slices"
	"strconv"

	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/copy/copytext"
	"zproxy/sqlerr"
	"zproxy/types/charset"
)

// Options are those of a COPY.
type Options struct {
	copytext.Format
	writing
}

// writing are the options of a COPY FROM that say how its rows are written, not what its data looks like.
type writing struct {
	workers int  // parts that are written at once; 0: as many as the store bears
	inOrder bool // rows are written in about the order of the data
	named   []string
}

// ParseOptions reads the options that a COPY names.
func ParseOptions(tree *ast.Copy) (Options, error) {
	var options []copytext.Option
	var out Options
	for _, o := range tree.Options {
		taken, err := out.take(o, tree)
		if err != nil {
			return out, err
		}
		if taken {
			continue
		}
		options = append(options, copytext.Option{Name: o.Name, Value: o.Value, List: o.List, Pos: int(o.Pos)})
	}
	var err error
	out.Format, err = copytext.ParseOptions(options, tree.To)
	return out, err
}

// encoded is the encoding of data as texts, which clients of some encoding send and get; nil: it is in UTF-8.
func (o *Options) encoded(client *charset.Charset) *charset.Charset {
	if o.Encoding != nil {
		client = o.Encoding
	}
	if client == nil || client.SameAsUTF8() {
		return nil
	}
	return client
}

// mostWorkers bounds the option workers.
const mostWorkers = 1000

// take says whether an option is one of these.
func (w *writing) take(o ast.Option, tree *ast.Copy) (bool, error) {
	if tree.To || o.Name != "workers" && o.Name != "shuffle" {
		return false, nil
	}
	if slices.Contains(w.named, o.Name) {
		return true, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(int(o.Pos))
	}
	w.named = append(w.named, o.Name)
	if o.Name == "shuffle" {
		shuffle, ok := copytext.Boolean(o.Value)
		if !ok || o.List != nil {
			return true, sqlerr.New(sqlerr.SyntaxError, "shuffle requires a Boolean value")
		}
		w.inOrder = !shuffle
		return true, nil
	}
	n, err := strconv.Atoi(o.Value)
	if err != nil || n < 1 || n > mostWorkers {
		return true, sqlerr.New(sqlerr.InvalidParameterValue,
			"argument to option \"workers\" must be an integer between 1 and %d", mostWorkers).At(int(o.Pos))
	}
	w.workers = n
	return true, nil
}

// columnNames are the names of the columns that a COPY moves. The columns that its format
// names must be among those of the table; a query has no name of one.
func columnNames(f *copytext.Format, cols, all []plan.Column, table string) ([]string, error) {
	for _, list := range [][]string{f.ForceQuote, f.ForceNotNull, f.ForceNull} {
		seen := map[string]bool{}
		for _, name := range list {
			if !slices.ContainsFunc(all, func(c plan.Column) bool { return c.Name == name }) {
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
	return names, f.CheckColumns(names)
}
