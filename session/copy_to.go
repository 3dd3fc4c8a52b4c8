package session

import (
	"context"
	"fmt"
	"io"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/copy/copybinary"
	"zproxy/session/copy/copytext"
	"zproxy/types"
)

// copyTo runs COPY TO STDOUT: the rows of a query are sent as data instead.
func (s *Session) copyTo(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	query, err := s.planner(s.schema()).CopyQuery(tree)
	if err != nil {
		return Outcome{}, err
	}
	format, _, err := copyFormat(tree)
	if err != nil {
		return Outcome{}, err
	}
	st, err := s.planCopied(ctx, p, query, c)
	if err != nil {
		return Outcome{}, err
	}
	st.allowFiltering = p.statement.allowFiltering || tree.Query == nil // who copies a table wants all of it
	names, err := copiedNames(format, st.Columns, s.namable(tree, st), tree.Table.Name)
	if err != nil {
		return Outcome{}, err
	}
	if err := format.CheckColumns(names); err != nil {
		return Outcome{}, err
	}
	out := &copyingOut{Client: c, cols: st.Columns, env: s.Env(), binary: format.Binary}
	out.told.to = true
	if t, err := s.planner(s.schema()).Table(tree.Table); err == nil && tree.Query == nil {
		out.told.relation = t.ID
	}
	out.text = copytext.NewWriter(format, names)
	inner := &Portal{Columns: st.Columns, Formats: make([]int16, len(st.Columns)), statement: st}
	if err := out.begin(); err != nil {
		return Outcome{}, err
	}
	defer s.copies(&out.told)()
	if err := s.copyRowsOut(ctx, inner, out); err != nil {
		return Outcome{}, err
	}
	return counted("COPY", out.rows), out.end()
}

// namable are the columns that the options of a COPY may name: those of its table, or of its
// query.
func (s *Session) namable(tree *ast.Copy, st *Statement) []plan.Column {
	if t, err := s.planner(s.schema()).Table(tree.Table); err == nil && tree.Query == nil {
		return visibleColumns(t)
	}
	return st.Columns
}

func visibleColumns(t *catalog.Table) []plan.Column {
	var out []plan.Column
	for _, c := range t.Columns {
		if !c.Hidden {
			out = append(out, plan.Column{Name: c.Name, Type: c.Type})
		}
	}
	return out
}

// copyRowsOut runs the query of a COPY. Rows that a write returns are sent at once, so that
// it cannot run again should the commit meet a conflict.
func (s *Session) copyRowsOut(ctx context.Context, inner *Portal, out *copyingOut) error {
	if inner.isSelect() {
		_, err := s.selectRows(ctx, inner, 0, out)
		return err
	}
	if _, err := s.run(ctx, inner, out); err != nil {
		return err
	}
	s.txn.redo = nil
	_, err := inner.tell(ctx, 0, out)
	return err
}

// copyingOut makes data of the rows that are sent to a client.
type copyingOut struct {
	Client
	cols   []plan.Column
	env    *types.Env
	binary bool
	text   *copytext.Writer
	data   io.WriteCloser
	row    []byte
	value  []byte
	rows   int64
	told   copying
}

// longRow is the size from which what ends a statement may have ended the text of a row.
const longRow = 1 << 10

// begin announces the data. The header of the binary format goes with the first row.
func (o *copyingOut) begin() error {
	var err error
	if o.data, err = o.CopyOut(CopyFormat{Columns: len(o.cols), Binary: o.binary}); err != nil {
		return err
	}
	if o.binary {
		o.row = copybinary.AppendHeader(o.row)
		return nil
	}
	o.row = o.text.AppendHeader(o.row)
	return o.flush()
}

// Rows implements Client.
func (o *copyingOut) Rows(_ *Portal, rows *types.Batch) error {
	for i := range rows.Len() {
		if o.binary {
			o.appendBinary(rows.Row(i))
		} else {
			o.appendText(rows.Row(i))
		}
		if len(o.row) > longRow {
			if err := o.env.Ended(); err != nil { // which cuts texts short
				return err
			}
		}
		o.rows++
		o.told.tuples.Add(1)
		if err := o.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (o *copyingOut) appendText(row types.Row) {
	for i, v := range row {
		if v.IsNull() {
			o.row = o.text.AppendNull(o.row)
			continue
		}
		o.value = types.AppendText(o.value[:0], v, o.cols[i].Type, o.env)
		o.row = o.text.AppendField(o.row, o.value)
	}
	o.row = o.text.EndRow(o.row)
}

func (o *copyingOut) appendBinary(row types.Row) {
	o.row = copybinary.AppendRow(o.row, len(row))
	for i, v := range row {
		if v.IsNull() {
			o.row = copybinary.AppendNull(o.row)
			continue
		}
		o.value = types.AppendBinary(o.value[:0], v, o.cols[i].Type)
		o.row = copybinary.AppendField(o.row, o.value)
	}
}

// end ends the data.
func (o *copyingOut) end() error {
	if o.binary {
		o.row = copybinary.AppendTrailer(o.row)
	}
	if err := o.flush(); err != nil {
		return err
	}
	if err := o.data.Close(); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return nil
}

func (o *copyingOut) flush() error {
	if len(o.row) == 0 {
		return nil
	}
	n, err := o.data.Write(o.row)
	o.told.bytes.Add(int64(n))
	o.row = o.row[:0]
	return err
}
