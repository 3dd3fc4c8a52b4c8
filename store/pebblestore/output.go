package pebblestore

import (
	"context"
	"encoding/binary"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// output is how the writes of a commit get into the database.
type output interface {
	// write takes a write; keys come in their order.
	write(key []byte, w overlay.Write[[]byte]) error
	// end makes ready what commit needs.
	end() error
	// commit makes the writes, with the keys that were claimed for them, durable and visible.
	commit(ctx context.Context, keys claims) error
	close()
}

// loadPart is which part of a memtable makes a commit a load: one of so many.
const loadPart = 8

// output is the one for the writes that there are. Those with copies are never many.
func (t *txn) output() output {
	if t.bytes >= int64(t.store.runBytes/loadPart) && len(t.reserved) == 0 {
		return &loadOutput{t: t}
	}
	return &batchOutput{t, t.store.db.NewBatchWithSize(int(t.bytes))}
}

// batchOutput goes through the log and the memtable.
type batchOutput struct {
	t *txn
	b *pebble.Batch
}

func (o *batchOutput) write(key []byte, w overlay.Write[[]byte]) error {
	return o.t.writeTwice(o.b, key, w)
}

func (o *batchOutput) end() error { return nil }

func (o *batchOutput) commit(_ context.Context, keys claims) error {
	return o.t.store.commit(o.b, keys, o.t.mode.Applied)
}

func (o *batchOutput) close() { _ = o.b.Close() }

// loadOutput makes tables of many writes, while they come, and adds these to the database at once: it needs no log, and
// no memtable that is made a table later. Its tables are removed at the end of the transaction if it fails.
type loadOutput struct {
	t      *txn
	rounds [][]string
}

func (o *loadOutput) write(key []byte, w overlay.Write[[]byte]) error {
	at := o.t.bulk.runOf(store.SpaceID(binary.BigEndian.Uint64(key)))
	r := o.t.bulk.runs[at]
	from := len(r.data)
	r.data = append(r.data, key...)
	return o.t.bulkAdd(at, from, w.Payload, runItem{deleted: w.Delete})
}

func (o *loadOutput) end() (err error) {
	o.rounds, err = o.t.finishTables()
	return err
}

func (o *loadOutput) commit(ctx context.Context, keys claims) error {
	return o.t.store.show(keys, o.t.mode.Applied, func() error { return o.t.store.ingestAll(ctx, o.rounds) })
}

func (o *loadOutput) close() {}
