package session

import "zproxy/session/settings"

// mode is what the transaction and the settings ask of plans.
type mode struct {
	latest  bool // all commits must be seen
	sparing bool // statements that read all of a table are refused, or noticed
	limited bool // what they read or write is limited by its price
	whole   bool // those that policies would keep rows from are refused
}

func (s planning) mode() mode {
	return mode{s.txn.Consistency().Any(), s.settings.FullScan != settings.AllowFullScan,
		s.settings.MaxUnits > 0 || s.settings.MaxWrites > 0 || s.settings.MaxRead > 0, s.settings.WholeRows}
}
