package executor

import (
	"errors"

	"zproxy/types"
)

// errStopped ends an operator whose consumer wants no more rows.
var errStopped = errors.New("no more rows are wanted")

// output gathers rows into batches for a consumer.
type output struct {
	frame
	batch *types.Batch
	yield func(*types.Batch, error) bool
}

func newOutput(f frame, width int, yield func(*types.Batch, error) bool) *output {
	return &output{frame: f, batch: types.NewBatch(width), yield: yield}
}

// add makes room for a row, which is NULLs until it is filled. It stays in place until the
// next one is added.
func (o *output) add() (types.Row, error) {
	if err := o.room(); err != nil {
		return nil, err
	}
	return o.batch.Add(), nil
}

// append delivers a copy of a row.
func (o *output) append(row types.Row) error {
	if err := o.room(); err != nil {
		return err
	}
	o.batch.Append(row)
	return nil
}

// appendAll delivers copies of rows.
func (o *output) appendAll(rows []types.Row) error {
	for _, row := range rows {
		if err := o.append(row); err != nil {
			return err
		}
	}
	return nil
}

// room hands on the batch if no row has place in it.
func (o *output) room() error {
	if o.batch.Full() {
		return o.flush()
	}
	return nil
}

// undo takes back the row that was added last.
func (o *output) undo() { o.batch.Truncate(o.batch.Len() - 1) }

// flush delivers what has gathered.
func (o *output) flush() error {
	if err := o.pass(o.batch); err != nil {
		return err
	}
	o.batch.Reset(o.batch.Width())
	return nil
}

// pass delivers a batch, behind which none is gathered yet.
func (o *output) pass(batch *types.Batch) error {
	if err := o.canceled(); err != nil {
		return err
	}
	if !o.yield(batch, nil) {
		return errStopped
	}
	return nil
}

// end delivers what is left, or the error that ended the operator.
func (o *output) end(err error) {
	if err == nil && o.batch.Len() > 0 {
		err = o.flush()
	}
	if err != nil && err != errStopped {
		o.yield(nil, err)
	}
}

// each calls do for every row of a stream.
func (f frame) each(in Rows, do func(types.Row) error) error {
	for batch, err := range in {
		if err == nil {
			err = f.canceled()
		}
		if err != nil {
			return err
		}
		for i := range batch.Len() {
			if err := do(batch.Row(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls do for every row of a stream. What it has made of a batch goes out before the
// next batch is read: it may be all that is wanted.
func (o *output) each(in Rows, do func(types.Row) error) error {
	for batch, err := range in {
		for i := 0; err == nil && i < batch.Len(); i++ {
			err = do(batch.Row(i))
		}
		if err == nil && o.batch.Len() > 0 {
			err = o.flush()
		}
		if err == nil {
			err = o.canceled()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// produce is an operator that hands its rows to an output.
func produce(f frame, width int, run func(*output) error) Rows {
	return func(yield func(*types.Batch, error) bool) {
		out := newOutput(f, width, yield)
		out.end(run(out))
	}
}
