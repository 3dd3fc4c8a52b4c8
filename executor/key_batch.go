package executor

// keyBatch is the keys of the rows of a batch as bytes, which are looked up in a table together.
type keyBatch struct {
	bytes   []byte
	bounds  []int32 // of the keys in bytes
	hashes  []int64
	numbers []int32
	starts  []int
	read    byte // so that what is read for the caches is not left out
}

// cachedSlots is how many slots of a table, with their keys, the caches next to a processor may hold.
const cachedSlots = 1 << 14

// load makes the keys of so many rows, and hashes them.
func (b *keyBatch) load(k *keyColumns, rows int, hash func([]byte) int64) {
	b.bytes, b.bounds, b.hashes = b.bytes[:0], append(b.bounds[:0], 0), b.hashes[:0]
	for i := range rows {
		from := len(b.bytes)
		b.bytes = k.appendKey(b.bytes, i)
		b.bounds = append(b.bounds, int32(len(b.bytes)))
		b.hashes = append(b.hashes, hash(b.bytes[from:]))
	}
}

// fetch brings what the lookups are about to read into the caches. One after the other they wait for the memory three
// times each: for the slot, for where its key is, and for the key. Here, many wait at a time (Chen, Ailamaki, Gibbons,
// Mowry: Improving Hash Join Performance through Prefetching, 2004, 4).
func (b *keyBatch) fetch(of func(hash int64) *keyTable) {
	b.numbers = b.numbers[:0]
	for _, hash := range b.hashes {
		number := int32(0)
		if t := of(hash); t.slots != nil {
			number = t.slots[t.start(hash)].number
		}
		b.numbers = append(b.numbers, number)
	}
	b.starts = b.starts[:0]
	for i, number := range b.numbers {
		from := 0
		if number > 1 {
			from = of(b.hashes[i]).ends[number-2]
		}
		b.starts = append(b.starts, from)
	}
	for i, from := range b.starts {
		if t := of(b.hashes[i]); from < len(t.arena) {
			b.read += t.arena[from]
		}
	}
}

// key is that of a row.
func (b *keyBatch) key(i int) []byte { return b.bytes[b.bounds[i]:b.bounds[i+1]] }
