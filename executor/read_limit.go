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
	now := &r.profile.Stats
	if r.env.MaxUnits > 0 {
		if err := r.env.charge(now.ReadUnits - before.ReadUnits); err != nil {
			return err
		}
	}
	if r.env.MaxRead == 0 {
		return nil
	}
	return r.env.count(now.Examined - before.Examined)
}

// charge counts read units in halves, of which an eventual read takes one.
func (e *Env) charge(units float64) error {
	if n := atomic.AddInt64(&e.charged, int64(math.Round(2*units))); n > 2*e.MaxUnits {
		return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement was charged %g read units, more than %d",
			float64(n)/2, e.MaxUnits).
			WithDetail("The limit is the setting zproxy.max_read_units.").
			WithHint("EXPLAIN (WHY) tells what it reads, and which indexes it could use.")
	}
	return nil
}

func (e *Env) count(keys int64) error {
	if atomic.AddInt64(&e.read, keys) <= e.MaxRead {
		return nil
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement has read more than %d keys", e.MaxRead).
		WithDetail("The limit is the setting zproxy.max_rows_read.").
		WithHint("EXPLAIN (WHY) tells what it reads, and which indexes it could use.")
}
