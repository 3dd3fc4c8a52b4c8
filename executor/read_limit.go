package executor

import (
	"sync/atomic"

	"zproxy/sqlerr"
)

// examined counts the keys that the store has examined for a scan since there were so many,
// and ends the statement when they are more than it may read. What others read through the
// same profile meanwhile is counted by them: nobody else runs while the store does.
func (r *reader) examined(before int64) error {
	if r.env.MaxRead == 0 {
		return nil
	}
	return r.env.count(r.profile.Stats.Examined - before)
}

func (e *Env) count(keys int64) error {
	if atomic.AddInt64(&e.read, keys) <= e.MaxRead {
		return nil
	}
	return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "statement has read more than %d keys", e.MaxRead).
		WithDetail("The limit is the setting zproxy.max_rows_read.").
		WithHint("EXPLAIN (WHY) tells what it reads, and which indexes it could use.")
}
