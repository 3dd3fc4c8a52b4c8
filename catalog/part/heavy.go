package part

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

// Heavy is a hash of columns modulo a count that depends on the value of one column, behind which it stands: that of
// a heavy key, else 1.
const Heavy Kind = 8

// heavyKey is a value of a column whose rows have shards of their own. The catalog stores it.
type heavyKey struct {
	Value []byte // in its encoding, ascending
	Count int
}

// SetHeavy gives the rows with a value of the column so many shards. It says whether they had some already.
func (p *Part) SetHeavy(v types.Value, shards int) (had bool) {
	key := ordered.Append(nil, v, false)
	i, had := heavyAt(p.Keys, key)
	if !had {
		p.Keys = slices.Insert(p.Keys, i, heavyKey{Value: key})
	}
	p.Keys[i].Count = shards
	return had
}

// HeavyText writes the heavy keys as a JSON object, as the option of DDL has them. The column is of a type.
func (p *Part) HeavyText(t types.T) string {
	var members []string
	for _, k := range p.Keys {
		v, _, _ := ordered.Decode(k.Value, t, false)                  // which was encoded
		name, _ := json.Marshal(types.FormatText(v, t, &types.Env{})) // of a text there is no error
		members = append(members, fmt.Sprintf("%s: %d", name, k.Count))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// heavyAt is where an encoded value is among heavy keys, or would be.
func heavyAt(keys []heavyKey, value []byte) (int, bool) {
	return slices.BinarySearchFunc(keys, value, func(k heavyKey, v []byte) int { return bytes.Compare(k.Value, v) })
}

type heavy struct{ base }

// Spread is how many shards the rows with each value of a column have, and in which of them a row is.
type Spread struct {
	by   Source
	of   []Source // what is hashed
	keys []heavyKey
}

func (heavy) columns(p *Part) []uint32 {
	out := []uint32{p.Column}
	for _, id := range p.Of {
		if id != p.Column {
			out = append(out, id)
		}
	}
	return out
}

func (heavy) bind(p *Part, t Table) (Bound, error) {
	return Bound{Of: &Spread{t.Source(p.Column), sourcesOf(t, p.Of...), p.Keys}, Type: types.Int8}, nil
}

// Value implements Computed.
func (s *Spread) Value(row types.Row) types.Value {
	if n := s.Shards(row[s.by.Ordinal]); n > 1 {
		return shardOf(row, s.of, n)
	}
	return shardNumber(0)
}

// Take implements Computed.
func (s *Spread) Take(k Known) bool { return k.Spread(s) }

// By is the column whose values have shards.
func (s *Spread) By() *Source { return &s.by }

// Of are the columns that tell the shard of a row.
func (s *Spread) Of() []Source { return s.of }

// Shards is how many a value has.
func (s *Spread) Shards(v types.Value) int { return shardsOf(s.keys, v) }

// HeavyShards is how many shards the rows with a value of the column have.
func (p *Part) HeavyShards(v types.Value) int { return shardsOf(p.Keys, v) }

func shardsOf(keys []heavyKey, v types.Value) int {
	var buf [64]byte
	i, heavy := heavyAt(keys, ordered.Append(buf[:0], v, false))
	if !heavy {
		return 1
	}
	return keys[i].Count
}

// More is how many shards n values in a set can have beyond one for each.
func (s *Spread) More(set span.Set, n int) int {
	var more []int
	for _, k := range s.keys {
		if v, _, err := ordered.Decode(k.Value, s.by.Type, false); err == nil && set.Contains(v) {
			more = append(more, k.Count-1)
		}
	}
	slices.Sort(more)
	sum := 0
	for _, m := range more[max(len(more)-n, 0):] {
		sum += m
	}
	return sum
}

func (heavy) describe(p *Part, t Table) string {
	return fmt.Sprintf("shard(%s) of up to %d if %s is heavy", namesOf(t, p.Of...), p.most(), namesOf(t, p.Column))
}

// most is the largest count of a heavy key.
func (p *Part) most() int {
	most := 1
	for _, k := range p.Keys {
		most = max(most, k.Count)
	}
	return most
}

// HeavySetting is the setting of the option that names the heavy keys, as DDL has it.
func (p *Part) HeavySetting(t types.T) string { return "heavy_keys = " + quoteLiteral(p.HeavyText(t)) }

func (heavy) template(*Part, Table) string { return "" }

func (heavy) count(p *Part, t Table, n int) string {
	return fmt.Sprintf("%d shards of heavy %s", n, namesOf(t, p.Column))
}
