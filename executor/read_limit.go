package executor

import (
	"cmp"
	"math"
	"sync/atomic"

	"zproxy/sqlerr"
	"zproxy/store"
)

// examined counts the keys that the store has examined, and what it has charged, for a scan since its
// profile was as before, and ends the statement when that is more than it may read. What others read
// through the same profile meanwhile is counted by them: no other operator runs while the store does. Of l
// items were read each by its key; nil: ranges were read.
func (r *reader) examined(before *store.Stats, l *layout) error {
	e := r.env
	if e.MaxUnits == 0 && e.MaxRead == 0 {
		return nil
	}
	now := &r.profile.Stats
	keys := e.scans.add(r.scan.Access, now.Examined-before.Examined)
	charged := atomic.AddInt64(&e.charged, bounded{r}.charge(before, l))
	if e.MaxUnits > 0 && charged > store.ReadUnitBytes*e.MaxUnits {
		verb := "was charged"
		if !e.Store.Units {
			verb = "has read"
		}
		return bounded{r}.tooMuch(keys, "zproxy.max_read_units", "statement %s %g read units, more than %d", verb,
			math.Ceil(2*float64(charged)/store.ReadUnitBytes)/2, e.MaxUnits)
	}
	if read := atomic.AddInt64(&e.read, now.Examined-before.Examined); e.MaxRead > 0 && read > e.MaxRead {
		return bounded{r}.tooMuch(keys, "zproxy.max_rows_read", "statement has read more than %d keys", e.MaxRead)
	}
	return nil
}

// charge is what was read since before in read units, as bytes. A store that does not charge them is taken to cost what
// one would that does, for items of that size: each item that is read by its key costs a unit at least.
func (r bounded) charge(before *store.Stats, l *layout) int64 {
	now := &r.profile.Stats
	if r.env.Store.Units {
		return int64(math.Round(store.ReadUnitBytes * (now.ReadUnits - before.ReadUnits)))
	}
	examined, items := now.Examined-before.Examined, now.Items-before.Items
	of := cmp.Or(l, r.from)
	size := r.table.EntryBytes(of.index)
	if items > 0 { // of which some columns may not have been delivered
		size = math.Max(size, float64(now.Bytes-before.Bytes)/float64(items))
	}
	if l != nil {
		size = store.ReadUnitBytes * store.ReadUnits(size)
	}
	return int64(math.Ceil(float64(examined) * size))
}

// tooMuch is the error of a statement that has read more than a setting allows, and whose scan has examined so many
// keys by then.
func (r bounded) tooMuch(keys int64, setting, format string, args ...any) error {
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, format, args...).
		WithDetail("%s The limit is the setting %s.", r.sofar(keys), setting).
		WithHint("EXPLAIN (WHY) tells what it reads, and which indexes it could use.")
}
