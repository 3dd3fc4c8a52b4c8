package part

import (
	"hash/fnv"
	"strconv"

	"zproxy/encoding/ordered"
	"zproxy/types"
)

// Shard is a hash of columns modulo Count; in a text it counts from 1.
const Shard Kind = 2

type shard struct{ base }

// hashed is a hash of columns modulo a count.
type hashed struct {
	of    []Source
	count int
}

func (shard) columns(p *Part) []uint32 { return p.Of }

func (shard) bind(p *Part, t Table) (Bound, error) {
	return Bound{Of: &hashed{of: sourcesOf(t, p.Of...), count: p.Count}, Type: types.Int8, form: form{from: 1}}, nil
}

func (h *hashed) Value(row types.Row) types.Value {
	return shardOf(row, h.of, h.count)
}

// shardOf is a hash of the values of columns modulo a count.
func shardOf(row types.Row, of []Source, count int) types.Value {
	var buf [64]byte
	key := buf[:0]
	for i := range of {
		key = ordered.Append(key, row[of[i].Ordinal], false)
	}
	sum := fnv.New64a()
	sum.Write(key)
	return types.NewInt(int64(mix(sum.Sum64()) % uint64(count)))
}

// mix spreads the bits of a hash over each other: those of FNV alone depend too little on
// the last bytes (the finaliser of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// Take goes by the shards of the values that columns have, where these are fewer than all shards.
func (h *hashed) Take(k Known) bool {
	return k.Fewer(h.count, h.of, h) || k.Each(h.count, shardNumber)
}

func shardNumber(i int) types.Value { return types.NewInt(int64(i)) }

func (h *hashed) nulls() []Source { return nil } // NULL has a hash, too

func (h *hashed) misfit(types.Row, spot) (string, int) { return "", 0 }

func (shard) describe(p *Part, t Table) string {
	return "shard(" + namesOf(t, p.Of...) + ") of " + strconv.Itoa(p.Count)
}

func (shard) template(p *Part, _ Table) string     { return hole("shard", padding(p.Width)) }
func (shard) partitions(p *Part) int               { return p.Count }
func (shard) count(p *Part, _ Table, n int) string { return countShards(n, p.Count) }

func (shard) varies(p *Part, _ Table) (before, behind string, ok bool) { return numbered(p, p.Count) }

func (shard) word() (name, parenthesis string) { return "shard", "" }

// read is the shard of the layout, which may be a random one.
func (shard) read(r *Template, _ string) (Part, error) {
	if r.Shard == nil {
		return Part{}, r.bad("it has {shard}, but there is no parameter \"shards\"")
	}
	return *r.Shard, nil
}

func (shard) format(r *Template, p *Part, format string, given bool) error {
	if !given {
		return nil
	}
	return r.padded(p, format)
}
