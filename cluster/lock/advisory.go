package lock

// Key is what an advisory lock is taken on: one number, or two small ones.
type Key struct {
	Pair   bool
	Number int64
}

// Advisory is an advisory lock.
type Advisory struct {
	Key
	Shared bool
}

// Advisory is the key that a tag of an advisory lock names.
func (t Tag) Advisory() Key { return Key{Pair: t.Class == AdvisoryPair, Number: int64(t.Key)} }

func (l Advisory) tag(database uint32) Tag {
	t := Tag{Class: AdvisoryNumber, Database: database, Key: uint64(l.Number)}
	if l.Pair {
		t.Class = AdvisoryPair
	}
	return t
}

func (l Advisory) mode() Mode {
	if l.Shared {
		return Share
	}
	return Exclusive
}

// Take takes an advisory lock, perhaps for the transaction only, and waits for it unless it is only a try.
func (o *Owner) Take(w Wait, l Advisory, transaction, try bool) (bool, error) {
	policy := Block
	if try {
		policy = NoWait
	}
	g, err := o.acquire(w, l.tag(o.Database), request{l.mode(), !transaction}, policy)
	return g.Granted, err
}

// Release gives a lock back that does not end with the transaction, and says whether the session has it.
func (o *Owner) Release(l Advisory) bool {
	t := l.tag(o.Database)
	hash := t.hash()
	s := o.manager.shardOf(t.Class, hash)
	s.mu.Lock()
	of := taken{entry: s.find(t, hash), mode: l.mode()}
	s.mu.Unlock()
	if o.kept[of] == 0 {
		return false
	}
	if o.kept[of]--; o.kept[of] == 0 {
		o.giveBack(of)
	}
	return true
}

// ReleaseAll gives all locks back that do not end with the transaction.
func (o *Owner) ReleaseAll() {
	for of := range o.kept {
		o.giveBack(of)
	}
}

func (o *Owner) giveBack(of taken) {
	delete(o.kept, of)
	o.release(of, true)
	o.Memory.Shrink(Bytes)
}
