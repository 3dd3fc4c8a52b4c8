package syscat

import (
	"cmp"
	"math"
	"slices"
	"time"

	"zproxy/types"
)

// KeyLocation is where a key is: in the rows of a table, or in one of its indexes.
type KeyLocation struct{ Schema, Table, Index string }

// HotKey is a key that is read or written often, that was throttled, or that many rows have.
type HotKey struct {
	KeyLocation
	Key           string
	Reads, Writes int64   // in the last Seconds
	Seconds       float64 // 0: they are not known
	Share         float64 // of the requests for the table or index
	Throttled     int64   // requests that the store refused
	Rows, Bytes   float64 // estimates; below 0: they are not known
}

// KeyHeat is what was asked for of a range of keys in a minute.
type KeyHeat struct {
	KeyLocation
	Minute        time.Time
	From, To      string
	Reads, Writes int64
	Throttles     int64 // how often the store refused an item for its load
}

// CachedTable is what the cache of rows did for a table.
type CachedTable struct {
	KeyLocation
	For          time.Duration // how old its rows may be
	Rows, Bytes  int64
	Hits, Misses int64
}

// ownHeatText has the views of hot keys, see ownRelationsText.
const ownHeatText = `9013 zproxy hot_keys v
	schemaname name !
	tablename name !
	indexname name
	key text !
	reads_per_second float8
	writes_per_second float8
	reads int8 !
	writes int8 !
	share float8
	throttled int8 !
	estimated_rows int8
	estimated_bytes int8
9014 zproxy key_heat v
	schemaname name !
	tablename name !
	indexname name
	minute timestamptz !
	from_key text !
	to_key text !
	reads int8 !
	writes int8 !
	throttled int8 !
9015 zproxy row_cache v
	schemaname name !
	tablename name !
	cache text !
	rows int8 !
	bytes int8 !
	hits int8 !
	misses int8 !
	hit_rate float8
`

// heatCatalogs tell which keys are hot.
func heatCatalogs() []definition {
	return []definition{
		{
			schema: ownSchema, name: "hot_keys", rows: hotKeys,
			columns: "schemaname tablename indexname key reads_per_second writes_per_second reads writes share throttled estimated_rows estimated_bytes",
		},
		{
			schema: ownSchema, name: "key_heat", rows: keyHeat,
			columns: "schemaname tablename indexname minute from_key to_key reads writes throttled",
		},
		{
			schema: ownSchema, name: "row_cache", rows: rowCache,
			columns: "schemaname tablename cache rows bytes hits misses hit_rate",
		},
	}
}

// hotKeys has the keys with the most requests first.
func hotKeys(r *rows) {
	list := r.Heat.HotKeys()
	slices.SortStableFunc(list, func(a, b HotKey) int {
		return cmp.Or(cmp.Compare(b.Reads+b.Writes, a.Reads+a.Writes), cmp.Compare(b.Throttled, a.Throttled),
			cmp.Compare(b.Bytes, a.Bytes))
	})
	for _, h := range list {
		reads, writes, share := types.Null, types.Null, types.Null
		if h.Seconds > 0 {
			reads, writes = types.NewFloat(float64(h.Reads)/h.Seconds), types.NewFloat(float64(h.Writes)/h.Seconds)
			share = types.NewFloat(h.Share)
		}
		r.add(text(h.Schema), text(h.Table), textOrNull(h.Index), text(h.Key), reads, writes, number(h.Reads),
			number(h.Writes), share, number(h.Throttled), estimate(h.Rows), estimate(h.Bytes))
	}
}

// estimate is one, or NULL for none.
func estimate(n float64) types.Value {
	if n < 0 {
		return types.Null
	}
	return number(int64(math.Round(n)))
}

func keyHeat(r *rows) {
	for _, h := range r.Heat.KeyHeat() {
		r.add(text(h.Schema), text(h.Table), textOrNull(h.Index), moment(h.Minute), text(h.From), text(h.To),
			number(h.Reads), number(h.Writes), number(h.Throttles))
	}
}

// rowCache has the tables whose rows are or were kept.
func rowCache(r *rows) {
	for _, c := range r.Heat.CachedTables() {
		rate := types.Null
		if n := c.Hits + c.Misses; n > 0 {
			rate = types.NewFloat(float64(c.Hits) / float64(n))
		}
		r.add(text(c.Schema), text(c.Table), text(c.For.String()), number(c.Rows), number(c.Bytes), number(c.Hits),
			number(c.Misses), rate)
	}
}
