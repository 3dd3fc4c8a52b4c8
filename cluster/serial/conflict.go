package serial

// noteRead notes that a transaction reads a range of keys, and finds who has written there what it does not see.
func (o *Order) noteRead(m *member, r interval) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.doomed {
		return refused("identification as a pivot, during conflict out checking")
	}
	if !m.reads.add(r) {
		return nil // it is noted already
	}
	for other := range o.known {
		if other != m && !m.saw(other) && other.writes.within(r) {
			if err := o.conflict(m, other, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteWrite notes that a transaction writes a key, and finds who has read it as it was.
func (o *Order) noteWrite(m *member, key string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.doomed {
		return refused("identification as a pivot, during conflict in checking")
	}
	if !m.writes.add(key) {
		return nil
	}
	for other := range o.known {
		if other != m && !m.saw(other) && other.reads.has(key) {
			if err := o.conflict(other, m, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// conflict notes that one transaction comes before another, since it has read what that one writes, unless this is
// known. If there is a dangerous structure then, the one in the middle is refused; if that has been committed, the one
// that runs is.
func (o *Order) conflict(reader, writer, running *member) error {
	if _, known := reader.out[writer]; known {
		return nil
	}
	reader.out[writer], writer.in[reader] = struct{}{}, struct{}{}
	if !pivots(writer, reader) && !between(reader, writer) {
		return nil
	}
	switch {
	case running == writer:
		return refused("identification as a pivot, during write")
	case writer.prepared != 0:
		return refused("conflict out to a pivot that was committed, during read")
	}
	writer.doomed = true
	return nil
}

// pivots says whether a writer, before which a reader comes, comes itself before one that was committed first of the
// three. A reader that writes nothing must have seen that commit, perhaps: otherwise it comes before it in any case.
func pivots(writer, reader *member) bool {
	for last := range writer.out {
		first := last.prepared != 0 && (reader.prepared == 0 || last.prepared <= reader.prepared) &&
			(writer.prepared == 0 || last.prepared <= writer.prepared)
		if first && (!reader.readOnly || reader.maySee(last)) {
			return true
		}
	}
	return false
}

// between says whether a reader comes before a writer that was committed, and behind one that was not committed before
// that. One that writes nothing must have seen the commit of the writer, perhaps.
func between(reader, writer *member) bool {
	if writer.prepared == 0 || reader.readOnly {
		return false
	}
	for first := range reader.in {
		if !first.doomed && (first.prepared == 0 || first.prepared >= writer.prepared) &&
			(!first.readOnly || first.maySee(writer)) {
			return true
		}
	}
	return false
}
