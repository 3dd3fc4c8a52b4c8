package session

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"zproxy/executor"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// setting is one row of the table of settings, from which SET, SHOW and what clients are
// told are made.
type setting struct {
	name     string // as SHOW prints it
	initial  string
	reported bool   // clients are told of its value
	fixed    bool   // cannot be changed
	follows  string // the setting whose value it has in a transaction that says nothing else
	note     string
	// take checks a value, keeps what is made of it, and returns how it is shown; nil
	// takes any text.
	take func(s *settings, name, value string) (string, error)
}

// settingTable is every setting there is. Those without a take are kept for clients
// which set them, and change nothing.
var settingTable = []setting{
	{name: "application_name", reported: true, note: "Sets the application name to be reported in statistics and logs."},
	{name: "bytea_output", initial: "hex", take: oneOf("hex"), note: "Sets the output format for bytea."},
	{name: "client_encoding", initial: "UTF8", reported: true, take: encoding, note: "Sets the client's character set encoding."},
	{name: "client_min_messages", initial: "notice", take: oneOf("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error"), note: "Sets the message levels that are sent to the client."},
	{name: "DateStyle", initial: "ISO, MDY", reported: true, take: dateStyle, note: "Sets the display format for date and time values."},
	{name: "default_transaction_deferrable", initial: "off", take: boolean, note: "Sets the default deferrable status of new transactions."},
	{name: "default_transaction_isolation", initial: "read committed", take: isolation, note: "Sets the transaction isolation level of each new transaction."},
	{name: "default_transaction_read_only", initial: "off", reported: true, take: boolean, note: "Sets the default read-only status of new transactions."},
	{name: "extra_float_digits", initial: "1", take: integer(-15, 3), note: "Sets the number of digits displayed for floating-point values."},
	{name: "in_hot_standby", initial: "off", reported: true, fixed: true, note: "Shows whether hot standby is currently active."},
	{name: "integer_datetimes", initial: "on", reported: true, fixed: true, note: "Shows whether datetimes are integer based."},
	{name: "IntervalStyle", initial: "postgres", reported: true, take: intervalStyle, note: "Sets the display format for interval values."},
	{name: "is_superuser", initial: "on", reported: true, fixed: true, note: "Shows whether the current user is a superuser."},
	{name: "lock_timeout", initial: "0", note: "Sets the maximum allowed duration of any wait for a lock."},
	{name: "max_identifier_length", initial: "63", fixed: true, note: "Shows the maximum identifier length."},
	{name: "search_path", initial: `"$user", public`, take: searchPath, note: "Sets the schema search order for names that are not schema-qualified."},
	{name: "server_encoding", initial: "UTF8", reported: true, fixed: true, note: "Shows the server (database) character set encoding."},
	{name: "server_version", initial: expr.ServerVersion, reported: true, fixed: true, note: "Shows the server version."},
	{name: "server_version_num", initial: expr.ServerVersionNum, fixed: true, note: "Shows the server version as an integer."},
	{name: "session_authorization", reported: true, fixed: true, note: "Shows the session user name."},
	{name: "standard_conforming_strings", initial: "on", reported: true, take: oneOf("on"), note: "Causes '...' strings to treat backslashes literally."},
	{name: "statement_timeout", initial: "0", take: statementTimeout, note: "Sets the maximum allowed duration of any statement."},
	{name: "TimeZone", initial: "UTC", reported: true, take: timeZone, note: "Sets the time zone for displaying and interpreting time stamps."},
	{name: "transaction_deferrable", follows: "default_transaction_deferrable", take: boolean, note: "Whether to defer a read-only serializable transaction until it can be executed with no possible serialization failures."},
	{name: "transaction_isolation", follows: "default_transaction_isolation", take: isolation, note: "Shows the isolation level of the current transaction."},
	{name: "transaction_read_only", follows: "default_transaction_read_only", take: boolean, note: "Shows the read-only status of the current transaction."},
	{name: "work_mem", initial: sizeText(executor.DefaultWorkMemory), take: memory(func(s *settings, n int64) { s.workMemory = n }), note: "Sets the maximum memory to be used for query workspaces."},
	{name: "zproxy.statement_memory", initial: sizeText(executor.DefaultMaxMemory), take: memory(func(s *settings, n int64) { s.statementMemory = n }), note: "Sets the maximum memory that a statement may hold."},
}

// values are those of all settings, by lower-case name. Nobody changes them: a change is
// another map, so that savepoints cost nothing.
type values map[string]string

// with is a copy in which one setting is another.
func (v values) with(name, value string) values {
	c := maps.Clone(v)
	c[name] = value
	return c
}

// settings are the values of one session.
type settings struct {
	settingsMark
	before           values            // as the transaction began
	moved            bool              // something was set since then
	defaults         values            // what RESET goes back to
	told             map[string]string // what the client was told last
	untold           bool              // a setting was set since then
	env              types.Env
	path             []string
	statementTimeout time.Duration
	workMemory       int64 // of one sort or hash join, in bytes
	statementMemory  int64
}

// settingsMark is a state of the settings: their values, and those that they have after
// the commit, which SET LOCAL does not change.
type settingsMark struct{ now, kept values }

func newSettings(user string) settings {
	s := settings{told: map[string]string{}}
	initial := values{}
	for _, row := range settingTable {
		_, _ = row.read(&s, row.initial) // the table's own values are good
		initial[strings.ToLower(row.name)] = row.initial
	}
	initial["session_authorization"] = user
	s.now, s.kept, s.before = initial, initial, initial
	return s
}

// begin ends the time in which the client's wishes become the session's defaults.
func (s *settings) begin() {
	s.commit()
	s.defaults = s.kept
}

// read checks a value and returns how it is shown. A setting that follows another may have
// none.
func (row *setting) read(s *settings, value string) (string, error) {
	if row.take == nil || value == "" && row.follows != "" {
		return value, nil
	}
	return row.take(s, row.name, value)
}

// find is the row of a setting. A name with a dot is a client's own and always there.
func find(name string) (setting, bool) {
	i := slices.IndexFunc(settingTable, func(row setting) bool { return strings.EqualFold(row.name, name) })
	if i >= 0 {
		return settingTable[i], true
	}
	return setting{name: name}, strings.Contains(name, ".")
}

func unknownSetting(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// set gives a setting a value, until the transaction ends or for good.
func (s *settings) set(name, value string, local bool) error {
	row, ok := find(name)
	switch {
	case !ok:
		return unknownSetting(name)
	case row.fixed:
		return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter %q cannot be changed", row.name)
	}
	value, err := row.read(s, value)
	if err != nil {
		return err
	}
	name = strings.ToLower(row.name)
	s.now = s.now.with(name, value)
	if !local && row.follows == "" {
		s.kept = s.kept.with(name, value)
	}
	s.untold, s.moved = true, true
	return nil
}

// reset gives a setting the value that the session began with.
func (s *settings) reset(name string, local bool) error {
	row, ok := find(name)
	if !ok {
		return unknownSetting(name)
	}
	if row.fixed {
		return nil
	}
	return s.set(row.name, s.defaults[strings.ToLower(row.name)], local)
}

func (s *settings) resetAll() error {
	for _, row := range settingTable {
		name := strings.ToLower(row.name)
		if row.follows != "" || s.now[name] == s.defaults[name] && s.kept[name] == s.defaults[name] {
			continue
		}
		if err := s.reset(row.name, false); err != nil {
			return err
		}
	}
	return nil
}

// mark is the present state, for rollbackTo.
func (s *settings) mark() settingsMark { return s.settingsMark }

// rollbackTo goes back to a state.
func (s *settings) rollbackTo(m settingsMark) {
	if !s.moved {
		return
	}
	was := s.now
	s.settingsMark, s.untold = m, true
	for name, value := range m.now {
		if was[name] != value {
			row, _ := find(name)
			_, _ = row.read(s, value) // it had this value before
		}
	}
}

// commit ends a transaction, and with it what SET LOCAL said.
func (s *settings) commit() { s.end(s.kept) }

// rollback ends a transaction, and with it what was set in it.
func (s *settings) rollback() { s.end(s.before) }

func (s *settings) end(v values) {
	s.rollbackTo(settingsMark{v, v})
	s.before, s.moved = v, false
}

// get is the value of a setting.
func (s *settings) get(name string) (string, bool) {
	v, ok := s.now[strings.ToLower(name)]
	if ok && v == "" {
		if row, _ := find(name); row.follows != "" {
			return s.get(row.follows)
		}
	}
	return v, ok
}

func (s *settings) reported() []Parameter {
	var out []Parameter
	for _, row := range settingTable {
		if row.reported {
			value := s.now[strings.ToLower(row.name)]
			s.told[row.name] = value
			out = append(out, Parameter{row.name, value})
		}
	}
	return out
}

// changed are the settings that have another value than the client was told. After most
// statements there is nothing to look for.
func (s *settings) changed() []Parameter {
	if !s.untold {
		return nil
	}
	s.untold = false
	var out []Parameter
	for _, row := range settingTable {
		value := s.now[strings.ToLower(row.name)]
		if row.reported && s.told[row.name] != value {
			s.told[row.name] = value
			out = append(out, Parameter{row.name, value})
		}
	}
	return out
}

func invalid(name, value string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, value)
}

// oneOf takes one of some words.
func oneOf(words ...string) func(*settings, string, string) (string, error) {
	return func(_ *settings, name, value string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(w, value) {
				return w, nil
			}
		}
		return "", invalid(name, value).WithHint("Available values: %s.", strings.Join(words, ", "))
	}
}

func boolean(_ *settings, name, value string) (string, error) {
	v, err := types.ParseText(value, types.Bool, nil)
	if err != nil {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q requires a Boolean value", name)
	}
	return map[bool]string{true: "on", false: "off"}[v.Bool()], nil
}

func integer(low, high int) func(*settings, string, string) (string, error) {
	return func(_ *settings, name, value string) (string, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n < low || n > high {
			return "", sqlerr.New(sqlerr.InvalidParameterValue, "%s is outside the valid range for parameter %q (%d .. %d)", value, name, low, high)
		}
		return value, nil
	}
}

// encoding takes the names that clients give to UTF-8, the only encoding there is.
func encoding(_ *settings, name, value string) (string, error) {
	plain := strings.ToUpper(strings.Trim(value, `'"`))
	switch strings.NewReplacer("-", "", "_", "").Replace(plain) {
	case "UTF8", "UNICODE":
		return "UTF8", nil
	}
	return "", invalid(name, value)
}

// dateStyle takes any order of fields as long as the style is ISO; dates are always read
// and written in ISO order.
func dateStyle(_ *settings, name, value string) (string, error) {
	for word := range strings.SplitSeq(value, ",") {
		switch strings.ToUpper(strings.Trim(word, ` "'`)) {
		case "ISO", "MDY", "DEFAULT", "":
		default:
			return "", invalid(name, value)
		}
	}
	return "ISO, MDY", nil
}

// intervalStyle is one of the names of types.IntervalStyle, in the order of its values.
func intervalStyle(s *settings, name, value string) (string, error) {
	names := []string{"postgres", "postgres_verbose", "sql_standard", "iso_8601"}
	shown, err := oneOf(names...)(s, name, value)
	if err == nil {
		s.env.IntervalStyle = types.IntervalStyle(slices.Index(names, shown))
	}
	return shown, err
}

func searchPath(s *settings, _, value string) (string, error) {
	s.path = nil
	for word := range strings.SplitSeq(value, ",") {
		name := strings.Trim(strings.TrimSpace(word), `"`)
		if name == "" {
			continue
		}
		s.path = append(s.path, name)
	}
	return value, nil
}

// statementTimeout takes milliseconds, or a number with a unit.
func statementTimeout(s *settings, name, value string) (string, error) {
	d, err := time.ParseDuration(strings.ReplaceAll(strings.TrimSpace(value), " ", ""))
	if n, e := strconv.ParseInt(value, 10, 32); e == nil {
		d, err = time.Duration(n)*time.Millisecond, nil
	} else if n, ok := strings.CutSuffix(value, "min"); ok {
		d, err = time.ParseDuration(strings.TrimSpace(n) + "m")
	}
	if err != nil || d < 0 {
		return "", invalid(name, value)
	}
	s.statementTimeout = d
	switch {
	case d == 0:
		return "0", nil
	case d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s", nil
	}
	return strconv.FormatInt(d.Milliseconds(), 10) + "ms", nil
}

// hoursZone is the POSIX name of an offset in seconds east of UTC: <+03>-03.
func hoursZone(east int) string {
	signs, text := "+-", ""
	if east < 0 {
		signs, east = "-+", -east
	}
	switch {
	case east%60 != 0:
		text = fmt.Sprintf("%02d:%02d:%02d", east/3600, east/60%60, east%60)
	case east%3600 != 0:
		text = fmt.Sprintf("%02d:%02d", east/3600, east/60%60)
	default:
		text = fmt.Sprintf("%02d", east/3600)
	}
	return "<" + signs[:1] + text + ">" + signs[1:] + text
}

func timeZone(s *settings, name, value string) (string, error) {
	text := strings.Trim(value, `'"`)
	hours, notHours := strconv.ParseFloat(text, 64)
	if notHours == nil && math.Abs(hours) < 168 { // east of UTC, unlike in names
		text = hoursZone(int(hours * 3600))
	}
	loc, err := types.LoadLocation(text)
	if err != nil {
		return "", invalid(name, value)
	}
	s.env.Location = loc
	if notHours == nil {
		return text, nil
	}
	return cmp.Or(loc.String(), "UTC"), nil
}
