package session

import (
	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/planner/declared"
	"zproxy/sqlerr"
)

// adviseTable tells the client what is wrong with the keys of a table: all of it, or what
// the values of its rows have shown.
func (s *Session) adviseTable(c Client, t *catalog.Table, known advice.Known, on func(*catalog.Table, *catalog.Index, advice.Known) []*sqlerr.Error) error {
	known, err := s.withDeclared(t, known)
	if err != nil {
		return err
	}
	list := on(t, nil, known)
	for i := range t.Indexes {
		list = append(list, on(t, &t.Indexes[i], known)...)
	}
	return s.advise(c, list)
}

// adviseIndex tells the client what is wrong with an index that it has made, as it was declared.
func (s *Session) adviseIndex(c Client, t *catalog.Table, declared *catalog.Index, known advice.Known) error {
	known, err := s.withDeclared(t, known)
	if err != nil {
		return err
	}
	return s.advise(c, advice.On(t, declared, known))
}

// adviseChange tells the client what is wrong with the keys of a table since it has changed it.
func (s *Session) adviseChange(c Client, before, after *catalog.Table) error {
	if after.Foreign != nil {
		return nil // its keys are for others to choose
	}
	known, err := s.withDeclared(after, advice.Known{Stats: after.Stats})
	if err != nil {
		return err
	}
	return s.advise(c, advice.Since(before, after, known))
}

// withDeclared adds to what is known of a table its store, and how many values its conditions leave to columns.
func (s *Session) withDeclared(t *catalog.Table, known advice.Known) (advice.Known, error) {
	known.Store = s.db.Store.Capabilities()
	if !s.settings.Advice {
		return known, nil // no client asks
	}
	checks, err := s.planner(s.schema()).Stored().Checks(t)
	known.Declared = declared.Counts(t, checks)
	return known, err
}

// advise sends advice to a client that wants it.
func (s *Session) advise(c Client, list []*sqlerr.Error) error {
	if !s.settings.Advice {
		return nil
	}
	for _, n := range list {
		if err := c.Notice(n); err != nil {
			return err
		}
	}
	return nil
}
