package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/copy/copybinary"
	"zproxy/session/copy/copytext"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// copyFrom runs COPY FROM STDIN: rows of the client's data are written like those of an
// INSERT, all of them or none.
func (s *Session) copyFrom(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	if err := s.holdCopied(ctx, p, tree); err != nil {
		return Outcome{}, err
	}
	st, err := s.planCopied(ctx, p, tree, c)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.refuseWrites(st.written, "COPY FROM"); err != nil {
		return Outcome{}, err
	}
	format, options, err := copyFormat(tree)
	if err != nil {
		return Outcome{}, err
	}
	t, cols := plan.Target(st.plan), streamColumns(st.plan)
	names, err := copiedNames(format, cols, visibleColumns(t), t.Name)
	if err != nil {
		return Outcome{}, err
	}
	if err := format.CheckColumns(names); err != nil {
		return Outcome{}, err
	}
	in, err := c.CopyIn(CopyFormat{Columns: len(cols), Binary: format.Binary})
	if err != nil {
		return Outcome{}, err
	}
	if format.Freeze && !s.madeHere(t) {
		return Outcome{}, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction")
	}
	told := &copying{relation: t.ID}
	defer s.copies(told)()
	in = countedData{in, told}
	var rows copiedRows
	if format.Binary {
		rows = &binaryRows{Reader: copybinary.NewReader(in, len(cols)), cols: cols, env: &s.settings.Env}
	} else {
		rows = &textRows{Reader: copytext.NewReader(in, format, names), cols: cols, env: s.Env(), column: -1}
	}
	if s.loads(p, st) {
		n, err := s.loadRows(ctx, st, rows, options)
		if err != nil {
			return Outcome{}, inCopy(err, t.Name, rows)
		}
		return counted("COPY", n), nil
	}
	e := &execution{statement: st, stream: s.copyRows(ctx, rows, cols), line: rows.Line, verb: "COPY"}
	if err := s.write(ctx, e); err != nil {
		return Outcome{}, inCopy(err, t.Name, rows)
	}
	return counted("COPY", e.count), nil
}

// madeHere says whether a table was created or truncated since the last savepoint.
func (s *Session) madeHere(t *catalog.Table) bool {
	var since *cluster.ChangeMark
	if n := len(s.txn.savepoints); n > 0 {
		since = s.txn.savepoints[n-1].change
	}
	return slices.ContainsFunc(s.txn.Changed().Created(since), func(sp store.Space) bool { return sp.Name == t.TableSpace().Name })
}

// streamColumns are the columns that the client sends.
func streamColumns(n plan.Node) []plan.Column {
	if st, ok := n.(plan.Stream); ok {
		return st.Cols
	}
	return streamColumns(n.Inputs()[0])
}

// copyRows reads the rows of COPY's data one by one, so that what is wrong with a row is
// found before the next one is read.
func (s *Session) copyRows(ctx context.Context, rows copiedRows, cols []plan.Column) executor.Rows {
	return func(yield func(*types.Batch, error) bool) {
		batch := types.NewBatch(len(cols))
		for {
			batch.Reset(len(cols))
			err := rows.next(batch.Add())
			switch {
			case errors.Is(err, io.EOF):
				return
			case err == nil && context.Cause(ctx) != nil:
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch, nil) {
				return
			}
			if told := s.copying.Load(); told != nil && !told.loads {
				told.tuples.Add(1)
			}
		}
	}
}

// copiedRows are the rows of COPY's data in one of its formats.
type copiedRows interface {
	// next fills a row of NULLs, or answers io.EOF at the end of the data.
	next(row types.Row) error
	// Line is the number of the line, or in the binary format of the row, at hand, from 1.
	Line() int64
	// what says more about that for an error, beginning with a comma or a colon.
	what() string
}

// textRows are rows in the text and csv formats.
type textRows struct {
	*copytext.Reader
	cols   []plan.Column
	env    *types.Env
	column int // being read, or -1
	value  string
}

func (r *textRows) next(row types.Row) error {
	fields, incomplete := r.Next()
	for i, f := range fields {
		if f.Null {
			continue
		}
		r.column, r.value = i, f.Text
		v, err := types.ParseText(f.Text, r.cols[i].Type, r.env)
		if err == nil && r.cols[i].Type.Mod >= 0 {
			v, err = types.ApplyMod(v, r.cols[i].Type, false, r.env)
		}
		if err != nil {
			return err
		}
		row[i] = v
	}
	r.column = -1
	return incomplete
}

func (r *textRows) what() string {
	if r.column >= 0 {
		return fmt.Sprintf(", column %s: \"%s\"", r.cols[r.column].Name, shorten(r.value))
	}
	if raw, ok := r.Raw(); ok {
		return fmt.Sprintf(": \"%s\"", shorten(string(raw)))
	}
	return ""
}

// shorten cuts data that an error shows.
func shorten(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// binaryRows are rows in the binary format.
type binaryRows struct {
	*copybinary.Reader
	cols   []plan.Column
	env    *types.Env
	column int // being read, or -1
}

func (r *binaryRows) next(row types.Row) error {
	r.column = -1
	fields, err := r.Next()
	if err != nil {
		r.column = r.Field()
		return err
	}
	for i, f := range fields {
		if f == nil {
			continue
		}
		r.column = i
		v, err := types.ParseBinary(f, r.cols[i].Type)
		if err == nil && r.cols[i].Type.Mod >= 0 {
			v, err = types.ApplyMod(v, r.cols[i].Type, false, r.env)
		}
		if err != nil {
			return err
		}
		row[i] = v
	}
	r.column = -1
	return nil
}

func (r *binaryRows) what() string {
	if r.column >= 0 {
		return ", column " + r.cols[r.column].Name
	}
	return ""
}

// inCopy says where in the data an error is. What is wrong before the first line is not about
// any.
func inCopy(err error, table string, rows copiedRows) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Where != "" || rows.Line() == 0 {
		return err
	}
	c := *e
	c.Where = fmt.Sprintf("COPY %s, line %d", table, rows.Line())
	var earlier *executor.LineError
	if errors.As(err, &earlier) {
		c.Where = fmt.Sprintf("COPY %s, line %d", table, earlier.Line)
	} else {
		c.Where += rows.what()
	}
	return &c
}
