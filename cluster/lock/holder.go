package lock

import "slices"

// Holder is a session with its advisory locks: those it has until they are given back, and those of its transaction.
type Holder struct {
	manager *Manager
	session uint32
	kept    []Advisory
	ending  []Advisory // with the transaction
}

// Holder makes the holder of a session with a number, which has no locks yet.
func (m *Manager) Holder(session uint32) *Holder { return &Holder{manager: m, session: session} }

// Take takes an advisory lock, perhaps for the transaction only, and waits for it unless it is only a try.
func (h *Holder) Take(w Wait, l Advisory, transaction, try bool) (bool, error) {
	got, err := h.manager.Advise(w, h.session, l, try)
	switch {
	case !got:
	case transaction:
		h.ending = append(h.ending, l)
	default:
		h.kept = append(h.kept, l)
	}
	return got, err
}

// Release gives a lock back that does not end with the transaction, and says whether the session has it.
func (h *Holder) Release(l Advisory) bool {
	i := slices.Index(h.kept, l)
	if i < 0 {
		return false
	}
	h.manager.ReleaseAdvisory(h.session, h.kept[i:i+1])
	h.kept = slices.Delete(h.kept, i, i+1)
	return true
}

// ReleaseAll gives all locks back that do not end with the transaction.
func (h *Holder) ReleaseAll() {
	h.manager.ReleaseAdvisory(h.session, h.kept)
	h.kept = nil
}

// Mark is a state of the transaction's locks that a savepoint goes back to.
func (h *Holder) Mark() int { return len(h.ending) }

// RollbackTo gives back what the transaction has taken since a mark; 0 is its beginning.
func (h *Holder) RollbackTo(mark int) {
	h.manager.ReleaseAdvisory(h.session, h.ending[mark:])
	if h.ending = h.ending[:mark]; mark == 0 {
		h.ending = nil
	}
}
