package copy

import (
	"context"
	"errors"
	"fmt"
	"io"

	"zproxy/catalog"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/copy/copybinary"
	"zproxy/session/copy/copytext"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
)

// Input is the data of a COPY FROM, which is read once.
type Input struct {
	Options
	Counter
	table   *catalog.Table
	columns []plan.Column // that the client sends
	names   []string      // of the columns
	rows    rows          // nil: reading has not begun
	inParts bool          // what counts is what was written
}

// NewInput makes the input of a COPY FROM for its plan.
func NewInput(tree *ast.Copy, n plan.Node) (*Input, error) {
	options, err := ParseOptions(tree)
	if err != nil {
		return nil, err
	}
	in := &Input{Options: options, table: plan.Target(n), columns: streamColumns(n)}
	in.relation = in.table.ID
	in.names, err = columnNames(&in.Format, in.columns, VisibleColumns(in.table), in.table.Name)
	return in, err
}

// Width is how many columns the client sends.
func (in *Input) Width() int { return len(in.columns) }

// Open begins to read data, whose values are texts in some environment, and in the encoding of the client unless an
// option says another.
func (in *Input) Open(data io.Reader, env *types.Env, client *charset.Charset) {
	data = countedData{data, &in.Counter}
	if in.Binary {
		in.rows = &binaryRows{Reader: copybinary.NewReader(data, len(in.columns)), cols: in.columns, env: env,
			client: client}
		return
	}
	if set := in.encoded(client); set != nil {
		data = set.NewReader(data)
	}
	in.rows = &textRows{Reader: copytext.NewReader(data, in.Format, in.names), cols: in.columns, env: env, column: -1}
}

// Line is the number of the line, or in the binary format of the row, at hand, from 1.
func (in *Input) Line() int64 { return in.rows.Line() }

// streamColumns are the columns that the client sends.
func streamColumns(n plan.Node) []plan.Column {
	if st, ok := n.(plan.Stream); ok {
		return st.Cols
	}
	return streamColumns(n.Inputs()[0])
}

// VisibleColumns are the columns of a table that a COPY may name.
func VisibleColumns(t *catalog.Table) []plan.Column {
	var out []plan.Column
	for _, c := range t.Columns {
		if !c.Hidden {
			out = append(out, plan.Column{Name: c.Name, Type: c.Type})
		}
	}
	return out
}

// Rows reads the rows one by one, so that what is wrong with a row is found before the next one is read.
func (in *Input) Rows(ctx context.Context) executor.Rows {
	return func(yield func(*types.Batch, error) bool) {
		batch := types.NewBatch(len(in.columns))
		for {
			batch.Reset(len(in.columns))
			err := in.rows.next(batch.Add())
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
			if !in.inParts {
				in.tuples.Add(1)
			}
		}
	}
}

// Locate says where in the data an error is. What is wrong before the first line is not about
// any.
func (in *Input) Locate(err error) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Where != "" || in.Line() == 0 {
		return err
	}
	c := *e
	c.Where = fmt.Sprintf("COPY %s, line %d", in.table.Name, in.Line())
	var earlier *executor.LineError
	if errors.As(err, &earlier) {
		if earlier.Line == 0 {
			return err
		}
		c.Where = fmt.Sprintf("COPY %s, line %d", in.table.Name, earlier.Line)
	} else {
		c.Where += in.rows.what()
	}
	return &c
}
