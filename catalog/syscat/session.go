package syscat

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"zproxy/types"
)

// sessionCatalogs are those that tell of the session which reads them.
func sessionCatalogs() []definition {
	return []definition{
		{
			name: "pg_settings", columns: "setting short_desc extra_desc source boot_val reset_val", rows: settings,
			fixed: map[string]types.Value{"pending_restart": boolean(false)},
		},
		{
			name: "pg_prepared_statements", columns: "name statement prepare_time parameter_types from_sql",
			rows:  prepared,
			fixed: map[string]types.Value{"generic_plans": number(0), "custom_plans": number(0)},
		},
		{name: "pg_cursors", columns: "name statement is_holdable is_binary is_scrollable creation_time", rows: cursors},
	}
}

// settings are as PostgreSQL has them. Those that it has not are texts.
func settings(r *rows) {
	known := make(map[string][]types.Value, len(r.recorded))
	for _, row := range r.recorded {
		known[row[0].Text()] = row
	}
	list := r.Session.Settings()
	slices.SortFunc(list, func(a, b Setting) int {
		return strings.Compare(strings.ToLower(a.Name),
			strings.ToLower(b.Name))
	})
	for _, s := range list {
		row := slices.Clone(known[s.Name])
		if row == nil {
			row = []types.Value{text(s.Name), types.Null, text("Customized Options"), text("user"), text("string"),
				types.Null, types.Null, types.Null}
		}
		unit := ""
		if !row[settingUnit].IsNull() {
			unit = row[settingUnit].Text()
		}
		if s.Fixed {
			row[settingContext] = text("internal")
		}
		r.add(append(row, text(inUnits(s.Value, unit)), text(s.Doc), textOrNull(s.Detail), text(s.source()),
			text(inUnits(s.Initial, unit)), text(inUnits(s.Reset, unit)))...)
	}
}

// Places in the recorded rows of pg_settings.
const (
	settingUnit    = 1
	settingContext = 3
)

// source is where the value comes from.
func (s *Setting) source() string {
	switch {
	case s.Value != s.Reset:
		return "session"
	case s.Value != s.Initial:
		return "client"
	}
	return "default"
}

// sizes are those of units, of times in microseconds and of memory in bytes.
var sizes = map[string]float64{
	"us": 1, "ms": 1e3, "s": 1e6, "min": 60e6, "h": 3600e6, "d": 86400e6,
	"B": 1, "kB": 1 << 10, "8kB": 8 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40,
}

// inUnits is a quantity as a number of units, where SHOW takes a unit that makes it short.
func inUnits(value, unit string) string {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	n, err := strconv.ParseFloat(number, 64)
	if unit == "" || err != nil || number == value {
		return value
	}
	return strconv.FormatFloat(n*sizes[value[len(number):]]/sizes[unit], 'f', -1, 64)
}

func prepared(r *rows) {
	list := r.Session.Prepared()
	slices.SortFunc(list, func(a, b Prepared) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range list {
		r.add(text(p.Name), text(p.Text), moment(p.Made), numbers(types.OIDRegtype, p.Params), boolean(p.SQL))
	}
}

func cursors(r *rows) {
	list := r.Session.Cursors()
	slices.SortFunc(list, func(a, b Cursor) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range list {
		r.add(text(c.Name), text(c.Text), boolean(c.Hold), boolean(c.Binary), boolean(c.Both), moment(c.Made))
	}
}

// moment is a time in the form of timestamptz: microseconds since 2000.
func moment(t time.Time) types.Value {
	return types.NewTimestamp(t.UnixMicro() - time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
}
