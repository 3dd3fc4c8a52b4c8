package lock

import "testing"

// TestReleaseWritten gives back locks of rows that were written, and no others, unless something was rolled back: then
// no one knows any more which were.
func TestReleaseWritten(t *testing.T) {
	written, locked, again := row(1), row(2), row(3)
	others := []Tag{{Class: Object, Key: 1}, {Class: AdvisoryNumber, Key: 1}}
	for _, undone := range []bool{false, true} {
		m := NewManager()
		m.Most = 100
		a, b := m.NewOwner(1), m.NewOwner(2)
		acquire := func(o *Owner, tag Tag, mode Mode) bool {
			t.Helper()
			g, err := o.Acquire(forever(t), tag, mode, NoWait)
			if err != nil {
				t.Fatal(err)
			}
			return g.Granted
		}
		for _, tag := range append(others, written, locked, again) {
			acquire(a, tag, Exclusive)
		}
		mark := a.Mark()
		acquire(a, again, AccessExclusive)
		for _, tag := range []Tag{written, again, row(4)} { // the last one it has not locked
			a.Write(tag)
		}
		if undone {
			a.RollbackTo(mark)
		}
		acquire(b, row(4), Exclusive)
		a.Write(row(4)) // which another owner has
		a.ReleaseWritten()
		for _, tag := range append(others, written, locked, again) {
			want := !undone && (tag == written || tag == again)
			if got := acquire(b, tag, Exclusive); got != want {
				t.Errorf("undone %v: another owner gets %v: %v, want %v", undone, tag, got, want)
			}
		}
		if want := map[bool]int{false: 3, true: 5}[undone]; a.Held() != want {
			t.Errorf("undone %v: %d locks are left, want %d", undone, a.Held(), want)
		}
		a.RollbackTo(0)
		b.RollbackTo(0)
		if acquire(a, written, Exclusive); a.undone {
			t.Error("the next transaction has undone something")
		}
		a.RollbackTo(0)
		m.Each(func(l Lock) { t.Errorf("in the end there is a lock: %v", l) })
	}
}

func row(key uint64) Tag { return Tag{Class: Row, Space: 7, Key: key} }
