package session

import (
	"context"
	"errors"
	"fmt"
	"io"

	"zproxy/encoding/copytext"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// copyFrom runs COPY FROM STDIN: rows of the client's data are written like those of an
// INSERT, all of them or none.
func (s *Session) copyFrom(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	if err := s.refuseReadOnly("COPY FROM"); err != nil {
		return Outcome{}, err
	}
	var options []copytext.Option
	for _, o := range tree.Options {
		options = append(options, copytext.Option{Name: o.Name, Value: o.Value, Pos: int(o.Pos)})
	}
	format, err := copytext.ParseOptions(options)
	if err != nil {
		return Outcome{}, err
	}
	cols := streamColumns(p.statement.plan)
	names := make([]string, len(cols))
	for i, col := range cols {
		names[i] = col.Name
	}
	in, err := c.CopyIn(len(cols))
	if err != nil {
		return Outcome{}, err
	}
	data := &copyData{Reader: in}
	rows := copytext.NewReader(data, format, names)
	e := &execution{statement: p.statement, stream: s.copyRows(ctx, rows, cols), verb: "COPY"}
	if err := s.write(ctx, e); err != nil {
		if data.err != nil {
			return Outcome{}, data.err // the client's own, as it is
		}
		return Outcome{}, inCopy(err, p.statement.plan, rows.Line())
	}
	return counted("COPY", e.count), nil
}

// streamColumns are the columns that the client sends.
func streamColumns(n plan.Node) []plan.Column {
	if st, ok := n.(plan.Stream); ok {
		return st.Cols
	}
	return streamColumns(n.Inputs()[0])
}

// copyRows reads the fields of COPY's data as values of the columns' types.
func (s *Session) copyRows(ctx context.Context, r *copytext.Reader, cols []plan.Column) executor.Rows {
	return func(yield func(*types.Batch, error) bool) {
		batch := types.NewBatch(len(cols))
		for {
			fields, err := r.Next()
			switch {
			case errors.Is(err, io.EOF):
				if batch.Len() > 0 {
					yield(batch, nil)
				}
				return
			case err == nil && context.Cause(ctx) != nil:
				err = context.Cause(ctx)
			case err == nil:
				err = s.copyRow(batch.Add(), fields, cols)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !batch.Full() {
				continue
			}
			if !yield(batch, nil) {
				return
			}
			batch.Reset(len(cols))
		}
	}
}

func (s *Session) copyRow(row types.Row, fields []copytext.Field, cols []plan.Column) error {
	for i, f := range fields {
		if f.Null {
			continue
		}
		v, err := types.ParseText(f.Text, cols[i].Type, s.Env())
		if err == nil && cols[i].Type.Mod >= 0 {
			v, err = types.ApplyMod(v, cols[i].Type, false)
		}
		if err != nil {
			return err
		}
		row[i] = v
	}
	return nil
}

// copyData remembers how the client's data ended, if not well.
type copyData struct {
	io.Reader
	err error
}

// Read implements io.Reader.
func (d *copyData) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		d.err = err
	}
	return n, err
}

// inCopy says in which line an error is.
func inCopy(err error, n plan.Node, line int64) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Where != "" {
		return err
	}
	c := *e
	c.Where = fmt.Sprintf("COPY %s, line %d", plan.Target(n).Name, line)
	return &c
}
