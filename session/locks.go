package session

import (
	"cmp"

	"zproxy/catalog/syscat"
	"zproxy/cluster/lock"
)

// Locks implements syscat.Session. As in PostgreSQL each transaction has a lock of itself, and those that wait for a
// row wait for the transaction that has it.
func (o ownSession) Locks() (list []syscat.Lock) {
	holds := func(l syscat.Lock) {
		l.Mode, l.Granted = lock.Exclusive.String(), true
		list = append(list, l)
	}
	numbered := map[uint64]bool{}
	runs := func(pid uint32, transaction uint64) {
		if transaction != 0 && !numbered[transaction] {
			numbered[transaction] = true
			holds(syscat.Lock{Type: "transactionid", Transaction: transaction, PID: pid})
		}
	}
	databases := map[uint32]uint32{} // by session
	for _, s := range o.s.db.sessions.all() {
		databases[s.pid] = s.db.Database()
		if a := s.activity.Now(); a.PID != 0 {
			if !a.Transaction.IsZero() {
				holds(syscat.Lock{Type: "virtualxid", PID: a.PID})
			}
			runs(a.PID, s.txn.Locks.Transaction.Load())
		}
	}
	o.s.db.Locks.Each(func(l lock.Lock) {
		if (l.Tag.Class == lock.Row || l.Tag.Class == lock.Rows) && l.Granted {
			runs(l.PID, l.Transaction)
			return
		}
		shown := listed(l)
		shown.Database = cmp.Or(l.Tag.Database, databases[l.PID], o.s.db.Database())
		list = append(list, shown)
	})
	return list
}

// listed is a lock as pg_locks shows it.
func listed(l lock.Lock) syscat.Lock {
	out := syscat.Lock{Type: l.Tag.Event(), PID: l.PID, Mode: l.Mode.String(), Granted: l.Granted, Since: l.Since}
	switch key := l.Tag.Key; l.Tag.Class {
	case lock.Row, lock.Rows:
		out.Transaction, out.Mode = l.Blocker, lock.Share.String()
	case lock.AdvisoryNumber, lock.AdvisoryPair:
		out.Class, out.Object, out.Numbers = uint32(key>>32), uint32(key), 1
		if l.Tag.Class == lock.AdvisoryPair {
			out.Numbers = 2
		}
	case lock.Object:
		out.Class, out.Object = uint32(l.Tag.Space), uint32(key)
	}
	return out
}
