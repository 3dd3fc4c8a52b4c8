package index

import (
	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/planner/declared"
	"zproxy/sqlerr"
)

// AdviseTable tells the client what is wrong with the keys of a table: all of it, or what
// the values of its rows have shown.
func (d *Definer) AdviseTable(t *catalog.Table, known advice.Known,
	on func(*catalog.Table, *catalog.Index, advice.Known) []*sqlerr.Error) error {
	known, err := d.Known(t, known)
	if err != nil {
		return err
	}
	list := on(t, nil, known)
	for i := range t.Indexes {
		list = append(list, on(t, &t.Indexes[i], known)...)
	}
	return d.advise(list)
}

// adviseIndex tells the client what is wrong with an index that it has made, as it was declared.
func (d *Definer) adviseIndex(t *catalog.Table, declared *catalog.Index, known advice.Known) error {
	known, err := d.Known(t, known)
	if err != nil {
		return err
	}
	return d.advise(advice.On(t, declared, known))
}

// AdviseChange tells the client what is wrong with the keys of a table since it has changed it.
func (d *Definer) AdviseChange(before, after *catalog.Table) error {
	if after.Foreign != nil {
		return nil // its keys are for others to choose
	}
	known, err := d.Known(after, advice.Known{Stats: after.Stats})
	if err != nil {
		return err
	}
	return d.advise(advice.Since(before, after, known))
}

// Known adds to what is known of a table its store, and how many values its conditions leave to columns.
func (d *Definer) Known(t *catalog.Table, known advice.Known) (advice.Known, error) {
	known.Store, known.Split = d.Node.Store.Capabilities(), d.Advice == advice.Portable
	if d.Advice == advice.Off {
		return known, nil // no client asks
	}
	checks, err := d.Planner(d.Schema()).Stored().Known(t)
	known.Declared = declared.Counts(t, checks)
	return known, err
}

// advise sends advice to a client that wants it.
func (d *Definer) advise(list []*sqlerr.Error) error {
	if d.Advice == advice.Off {
		return nil
	}
	for _, n := range list {
		if err := d.Notice(n); err != nil {
			return err
		}
	}
	return nil
}
