package session

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"zproxy/planner"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// setting is one row of the table of settings, from which SET, SHOW and what clients are
// told are made.
type setting struct {
	name     string // as SHOW prints it
	initial  string
	reported bool   // clients are told of its value
	fixed    bool   // cannot be changed
	own      bool   // RESET ALL leaves it alone
	guarded  bool   // only superusers set it
	follows  string // the setting whose value it has in a transaction that says nothing else
	note     string
	inert    *inert // nil: every value acts
	// take checks a value, keeps what is made of it, and returns how it is shown; nil
	// takes any text.
	take func(s *settings, name, value string) (string, error)
}

// values are those of all settings, by lower-case name. They never change: a change is
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
	before   values            // as the transaction began
	moved    bool              // something was set since then
	defaults values            // what RESET goes back to
	told     map[string]string // what the client was told last
	untold   bool              // a setting was set since then
	heard    map[string]bool   // wishes without effect that the client was told of
	unheard  []*sqlerr.Error   // that it is yet to be told of
	store    store.Capabilities
	env      types.Env
	path     []string
	user     string
	who      identity
	// become says whether the session may be a role; nil: it is not known yet.
	become           func(setting, name string) (uint32, error)
	isSuper          func(role uint32) bool
	statementTimeout time.Duration
	lockTimeout      time.Duration
	// idle and idleInTransaction are how long a client may say nothing.
	idle, idleInTransaction time.Duration
	workMemory              int64 // of one sort or hash join, in bytes
	statementMemory         int64
	parallelScans           int // 0: what the store gains by
	fullScan                string
	eventual                bool  // queries may miss the last commits
	genericPlans            bool  // paths are not chosen for parameters
	maxRead                 int64 // keys that a statement examines; 0: any number
	maxUnits                int64 // read units that a statement is charged; 0: any number
	limits                  planner.Limits
	buildRate               int64
	applicationName         string
	advice                  bool          // on the keys that statements make
	unwanted                []string      // severities of messages that the client does not want
	logMinDuration          time.Duration // below 0: none is logged
	logStatement            string        // the kind of statements that are logged
	logDuration             bool
	ttlInterval             time.Duration // between removals of rows that are due; 0: there are none
}

// settingsMark is a state of the settings: their values, and those that they have after
// the commit, which SET LOCAL does not change.
type settingsMark struct{ now, kept values }

// newSettings are those of a new session: the table's own, or what the server was given.
func newSettings(user string, given map[string]string) (settings, error) {
	s := settings{told: map[string]string{}, user: user}
	initial := values{}
	for _, row := range settingTable {
		value, ok := given[row.name]
		if !ok {
			value = row.initial
		}
		var err error
		if initial[strings.ToLower(row.name)], err = row.read(&s, value); err != nil {
			return s, err
		}
	}
	s.now, s.kept, s.before = initial, initial, initial
	return s, nil
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

// find is the row of a setting. A name with a dot is a client's own and always there, unless it
// begins as those of zproxy do, and so is a mistake.
func find(name string) (setting, bool) {
	i := slices.IndexFunc(settingTable, func(row setting) bool { return strings.EqualFold(row.name, name) })
	if i >= 0 {
		return settingTable[i], true
	}
	return setting{name: name}, strings.Contains(name, ".") && misnamed(name) == nil
}

// ownPrefix begins the names of zproxy's own settings.
const ownPrefix = "zproxy"

// misnamed is the error about a name that no client may give to a setting of its own.
func misnamed(name string) error {
	prefix, _, dotted := strings.Cut(name, ".")
	e := sqlerr.New(sqlerr.InvalidName, "invalid configuration parameter name \"%s\"", name)
	switch {
	case !dotted:
		return nil
	case strings.EqualFold(prefix, ownPrefix):
		return e.WithDetail("\"%s\" is a reserved prefix.",
			ownPrefix).WithHint("SHOW ALL lists the settings that there are.")
	}
	for word := range strings.SplitSeq(name, ".") {
		if !isSimpleName(word) {
			return e.WithDetail("Custom parameter names must be two or more simple identifiers separated by dots.")
		}
	}
	return nil
}

// isSimpleName says whether a word is a name that needs no quotes, in any case of letters.
func isSimpleName(word string) bool {
	for i, c := range []byte(word) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
		if !letter && (i == 0 || c != '$' && (c < '0' || c > '9')) {
			return false
		}
	}
	return word != ""
}

func unknownSetting(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// set gives a setting a value, until the transaction ends or for good.
func (s *settings) set(name, value string, local bool) error {
	row, ok := find(name)
	switch {
	case !ok:
		return cmp.Or(misnamed(name), unknownSetting(name))
	case row.fixed:
		return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter %q cannot be changed", row.name)
	}
	if row.guarded && s.isSuper != nil && !s.isSuper(s.who.role()) {
		return statement.Denied("permission denied to set parameter \"%s\"", row.name)
	}
	if err := s.mayBecome(row.name, value); err != nil {
		return err
	}
	value, err := row.read(s, value)
	if err != nil {
		return err
	}
	name = strings.ToLower(row.name)
	s.now = s.now.with(name, value)
	if name == sessionSetting {
		s.now = s.now.with(roleSetting, noRole)
		if !local {
			s.kept = s.kept.with(roleSetting, noRole)
		}
	}
	s.settle()
	if !local && row.follows == "" {
		s.kept = s.kept.with(name, value)
	}
	s.untold, s.moved = true, true
	return nil
}

// mayBecome asks for leave to be a role, and notes which one its name stands for.
func (s *settings) mayBecome(name, value string) error {
	if name != roleSetting && name != sessionSetting || value == noRole || value == "" || s.become == nil {
		return nil
	}
	id, err := s.become(name, value)
	if err == nil {
		s.who.known[value] = id
	}
	return err
}

// settle makes the session who its settings say it is.
func (s *settings) settle() {
	if s.become == nil {
		return
	}
	s.who.session, s.who.current = cmp.Or(s.who.known[s.now[sessionSetting]], s.who.authenticated), s.who.known[s.now[roleSetting]]
	if super := shownBool(s.isSuper(s.who.role())); s.now[superSetting] != super {
		s.now, s.kept = s.now.with(superSetting, super), s.kept.with(superSetting, super)
		s.untold = true
	}
}

func shownBool(on bool) string {
	if on {
		return "on"
	}
	return "off"
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
		if row.follows != "" || row.own || s.now[name] == s.defaults[name] && s.kept[name] == s.defaults[name] {
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
	s.settle()
}

// restore gives one setting that nothing is made of the value that it had.
func (s *settings) restore(name string, m settingsMark) {
	if was := m.now[name]; was != s.now[name] {
		s.now = s.now.with(name, was)
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
