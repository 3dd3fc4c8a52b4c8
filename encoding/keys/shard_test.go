package keys

import (
	"fmt"
	"math"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/types"
)

// TestShardsStay wants rows in the shards in which they have always been: those that are stored would
// not be found in others. In a text shards count from 1.
func TestShardsStay(t *testing.T) {
	shard := catalog.Part{Kind: part.Shard, Of: []uint32{1, 2}, Count: 256}
	text := catalog.Part{Kind: part.Text, Pieces: []catalog.Part{shard}}
	uuid := types.NewUUID([16]byte{0x80, 6: 0x40, 15: 1})
	for _, c := range []struct {
		types  [2]types.T
		values [2]types.Value
		shard  int64
	}{
		{[2]types.T{types.Int4, types.Text}, [2]types.Value{types.NewInt(0), types.NewText("")}, 127},
		{[2]types.T{types.Int4, types.Text}, [2]types.Value{types.NewInt(-1), types.NewText("a\x00b")}, 141},
		{[2]types.T{types.Int8, types.Bpchar}, [2]types.Value{types.NewInt(math.MaxInt64), types.NewBpchar("ab  ")}, 249},
		{[2]types.T{types.Date, types.UUID}, [2]types.Value{types.NewDate(6088), uuid}, 174},
		{[2]types.T{types.Timestamp, types.Bool}, [2]types.Value{types.NewTimestamp(-1), types.NewBool(true)}, 96},
		{[2]types.T{types.Float8, types.Bytea}, [2]types.Value{types.NewFloat(math.Copysign(0, -1)), types.NewBytes([]byte{0, 0xff})}, 129},
		{[2]types.T{types.Text, types.Text}, [2]types.Value{types.Null, types.Null}, 226},
	} {
		codec, err := NewCodec(table(c.types[0], c.types[1]), &catalog.Layout{Partition: []catalog.Part{shard, text}})
		if err != nil {
			t.Fatal(err)
		}
		row := types.Row{c.values[0], c.values[1]}
		got, text := codec.parts[0].Value(row).Int(), codec.parts[1].Value(row).Text()
		if got != c.shard || text != fmt.Sprint(c.shard+1) {
			t.Errorf("%s, %s: shard %d, as text %s, want %d", c.types[0], c.types[1], got, text, c.shard)
		}
	}
}
