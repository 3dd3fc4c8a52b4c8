package session

import (
	"cmp"
	"slices"
	"time"

	"zproxy/catalog/syscat"
	"zproxy/session/activity"
)

// activate notes that the session runs a text, and gives the time.
func (s *Session) activate(text string) time.Time {
	now := s.db.now()
	s.activity.Begin(text, now)
	s.limitTransaction()
	return now
}

// deactivate notes that the session waits for its client.
func (s *Session) deactivate() {
	state := activity.Idle
	if !s.txn.InBlock() {
		s.bounds.EndTransaction()
	}
	switch s.Status() {
	case 'T':
		state = activity.IdleInTransaction
	case 'E':
		state = activity.IdleInFailed
	}
	s.activity.Wait(state, s.settings.ApplicationName, s.db.now())
}

// SessionStates counts the sessions by what they do.
func (db *DB) SessionStates() map[string]int {
	counts := map[string]int{
		activity.Active: 0, activity.Idle: 0, activity.IdleInTransaction: 0, activity.IdleInFailed: 0,
	}
	for _, a := range db.Activity() {
		counts[a.State]++
	}
	return counts
}

// Activity lists what the sessions are doing, by their numbers.
func (db *DB) Activity() []syscat.Activity {
	sessions := db.sessions.all()
	list := make([]syscat.Activity, 0, len(sessions))
	for _, s := range sessions {
		if a := s.activity.Now(); a.PID != 0 {
			if w, waits := s.txn.Locks.Waiting(); waits {
				a.WaitType, a.Waits = "Lock", w.Tag.Event()
			} else if db.Serial.Blocking(a.PID) != nil {
				a.WaitType, a.Waits = "IPC", "SafeSnapshot"
			}
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b syscat.Activity) int { return cmp.Compare(a.PID, b.PID) })
	return list
}
