package executor

import (
	"math"
	"sync/atomic"

	"zproxy/sqlerr"
	"zproxy/store"
)

// examined counts the keys that the store has examined, and what it has charged, for a scan since its
// profile was as before, and ends the statement when that is more than it may read. What others read
// through the same profile meanwhile is counted by them: no other operator runs while the store does.
func (r *reader) examined(before *store.Stats) error {
	e := r.env
	if e.MaxUnits == 0 && e.MaxRead == 0 {
		return nil
	}
	now := &r.profile.Stats
	keys := e.scans.add(r.scan.Access, now.Examined-before.Examined)
	// Units are counted in halves, of which an eventual read takes one.
	halves := atomic.AddInt64(&e.charged, int64(math.Round(2*(now.ReadUnits-before.ReadUnits))))
	if e.MaxUnits > 0 && halves > 2*e.MaxUnits {
		return bounded{r}.tooMuch(keys, "zproxy.max_read_units", "statement was charged %g read units, more than %d",
			float64(halves)/2, e.MaxUnits)
	}
	if read := atomic.AddInt64(&e.read, now.Examined-before.Examined); e.MaxRead > 0 && read > e.MaxRead {
		return bounded{r}.tooMuch(keys, "zproxy.max_rows_read", "statement has read more than %d keys", e.MaxRead)
	}
	return nil
}

// tooMuch is the error of a statement that has read more than a setting allows, and whose scan has examined so many
// keys by then.
func (r bounded) tooMuch(keys int64, setting, format string, args ...any) error {
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, format, args...).
		WithDetail("%s The limit is the setting %s.", r.sofar(keys), setting).
		WithHint("EXPLAIN (WHY) tells what it reads, and which indexes it could use.")
}
