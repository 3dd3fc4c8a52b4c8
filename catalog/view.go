package catalog

import "strings"

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
