package catalog

import (
	"slices"
	"strings"

	"zproxy/catalog/trigger"
)

// The options of views.
const (
	SecurityBarrier = "security_barrier"
	SecurityInvoker = "security_invoker"
	CheckOption     = "check_option"
)

// Option is the value of an option of a view, empty if it is not set.
func (v *View) Option(name string) string {
	for _, o := range v.Options {
		if value, ok := strings.CutPrefix(o, name+"="); ok {
			return value
		}
	}
	return ""
}

// On says whether a boolean option of a view is on.
func (v *View) On(name string) bool {
	value := strings.ToLower(v.Option(name))
	return value != "" && (value == "1" || value == "on" || strings.HasPrefix("true", value) ||
		strings.HasPrefix("yes", value))
}

// AsColumn is a column of a view as one of a table that has its default.
func (c ViewColumn) AsColumn() Column {
	return Column{Name: c.Name, Type: c.Type, Default: c.Default, DefaultUses: c.DefaultUses,
		DefaultRead: c.DefaultRead}
}

// AsTable is a view as a table with its columns, numbered from 1, and its triggers. It is for those who know rows of
// tables, and is none of a catalog.
func (v *View) AsTable() *Table {
	t := &Table{ID: v.ID, Version: v.Version, Schema: v.Schema, Name: v.Name, Triggers: v.Triggers}
	for i := range v.Columns {
		c := v.Columns[i].AsColumn()
		c.ID = uint32(i + 1)
		t.Columns = append(t.Columns, c)
	}
	return t
}

// FiresInstead says whether triggers are fired in place of what a statement would do to rows of the view.
func (v *View) FiresInstead(e trigger.Events) bool {
	return slices.ContainsFunc(v.Triggers.Triggers, func(t Trigger) bool { return t.Of(trigger.Instead, e, true) })
}

// Updatable says whether rows can be written through a view, and into which of its columns: those that are columns of
// tables all the way down.
func (v *View) Updatable(s *Snapshot) (columns []bool, ok bool) {
	columns = make([]bool, len(v.Columns))
	switch base := s.ByID(v.Base).(type) {
	case *Table:
		for i, c := range v.Columns {
			columns[i] = c.Of != 0
		}
		return columns, base.Foreign == nil || base.Foreign.Updatable()
	case *View:
		under, ok := base.Updatable(s)
		for i, c := range v.Columns {
			columns[i] = c.Of != 0 && int(c.Of) <= len(under) && under[c.Of-1]
		}
		return columns, ok
	}
	return columns, false
}
