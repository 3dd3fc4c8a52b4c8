// Package settings is the settings of a session: one table of all there are, from which SET, SHOW, pg_settings, what
// clients are told and the documentation are made, and the values that a session gives them, as transactions and
// savepoints keep or forget them. A value acts where it is read, elsewhere; one that has no effect here says why. So do
// the clauses of statements that are taken without effect, of which clauses.go has the list.
//
// Read first `Setting` and `Table`, then `Settings`. values.go has the kinds of values that settings take.
package settings

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"zproxy/catalog/advice"
	"zproxy/catalog/define"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
	"zproxy/types/charset"
)

// Setting is one row of the table of settings, from which SET, SHOW and what clients are
// told are made.
type Setting struct {
	Name     string // as SHOW prints it
	Initial  string
	reported bool   // clients are told of its value
	Fixed    bool   // cannot be changed
	own      bool   // RESET ALL leaves it alone
	guarded  bool   // only superusers set it
	planned  bool   // plans depend on it
	list     bool   // it has several values
	names    bool   // which are names, shown with quotes where those need them
	Follows  string // the setting whose value it has in a transaction that says nothing else
	Note     string
	inert    *Inert // nil: every value acts
	// take checks a value, keeps what is made of it, and returns how it is shown; nil
	// takes any text.
	take func(s *Settings, name, value string) (string, error)
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

// Settings are the values of one session.
type Settings struct {
	State
	version  uint64 // of the values
	before   values // as the transaction began
	Moved    bool   // something was set since then
	Defaults values // what RESET goes back to
	Store    store.Capabilities
	Env      types.Env
	Path     []string
	Client
	Roles
	Telling
	Timeouts
	Reading
	Defining
	Logging
}

// Client is how the client calls itself, and how it writes.
type Client struct {
	ApplicationName string
	// EscapedStrings says that plain strings have escapes, and WarnOfEscapes that those are told of.
	EscapedStrings, WarnOfEscapes bool
	BackslashQuote                string           // where \' stands for a quote
	Charset                       *charset.Charset // in which its texts are; nil: in UTF-8
}

// Roles is who the session is, and whom it may become.
type Roles struct {
	user string
	Who  Identity
	// Become says whether the session may be a role; nil: it is not known yet.
	Become  func(setting, name string) (uint32, error)
	IsSuper func(role uint32) bool
}

// Telling is what the client was told, and is to be told.
type Telling struct {
	lastReported   map[string]string // the values of settings that the client was told last
	untold         bool              // a setting was set since then
	Noticed        map[string]bool   // requests without effect that the client has a notice of
	PendingNotices []*sqlerr.Error   // that it is yet to be told of
	Unwanted       []string          // severities of messages that the client does not want
}

// Timeouts are how long things may take; 0: for ever.
type Timeouts struct {
	StatementTimeout, LockTimeout time.Duration
	// TransactionTimeout is how long a transaction may take, whether statements of it run or not.
	TransactionTimeout time.Duration
	// DeadlockTimeout is how long a session waits for a lock before it looks for a circle of waits.
	DeadlockTimeout time.Duration
	// Idle and IdleInTransaction are how long a client may say nothing.
	Idle, IdleInTransaction time.Duration
	// ResumeTokenTTL is how long the tokens of resumable cursors that are made are valid.
	ResumeTokenTTL time.Duration
}

// Sooner is a limit of a part of a transaction, or 0 if the transaction may not take longer in any case.
func (t *Timeouts) Sooner(limit time.Duration) time.Duration {
	if t.TransactionTimeout > 0 && t.TransactionTimeout <= limit {
		return 0
	}
	return limit
}

// Reading is how statements read, and how much they may take.
type Reading struct {
	WorkMemory      int64 // of one sort or hash join, in bytes
	StatementMemory int64
	ParallelScans   int // 0: what the store gains by
	gathering
	FullScan             string
	ConsistentStatements bool // queries see one state of the store, also one without snapshots
	RowCache             bool // queries may read rows from memory, as tables allow it
	Eventual             bool // queries may miss the last commits
	GenericPlans         bool // paths are not chosen for parameters
	StatementCache       StatementCache
	MaxRead              int64 // keys that a statement examines; 0: any number
	MaxUnits             int64 // read units that a statement is charged; 0: any number
	MaxWrites            int64 // write units that it is charged; 0: any number
}

// Defining is how objects are defined and kept.
type Defining struct {
	CheckBodies bool // of functions, when they are made
	Portable    bool // catalogs show definitions as PostgreSQL has them
	Replica     bool // triggers do not fire, and foreign keys are not checked
	WholeRows   bool // a statement from which policies would keep rows is an error
	Limits      define.Limits
	BuildRate   int64         // rows per second of builds in the background; 0: no limit
	BuildUnits  int64         // read and write units per second of the build of an index; 0: no limit
	Advice      advice.Level  // on the keys that statements make
	TTLInterval time.Duration // between removals of expired rows; 0: there are none
	Heat        bool          // the server counts which keys are read and written
	Renewing
	AnalyzeUnits int64 // read units that the statistics of a table may take; 0: any number
}

// Renewing is when the server renews the statistics of a table.
type Renewing struct {
	Autovacuum bool
	Naptime    time.Duration // between two rounds through all tables
	StaleRows  int64         // must have changed, and besides
	StaleShare float64       // of the rows
}

// Logging is which statements are logged.
type Logging struct {
	LogMinDuration time.Duration // of slow ones; below 0: none is logged
	LogStatement   string        // the kind of statements that are logged
	LogDuration    bool
	LogLockWaits   bool // those that are longer than deadlock_timeout
}

// StatementCache is which statements without parameters are planned once for all that differ in literals alone.
type StatementCache string

// The values of zproxy.statement_cache.
const (
	CacheOff      StatementCache = "off"
	CacheRepeated StatementCache = "repeated" // those that come a second time
	CacheAlways   StatementCache = "always"
)

// State is a state of the settings: their values, and those that they have after
// the commit, which SET LOCAL does not change.
type State struct{ now, kept values }

// New are those of a new session: the table's own, or what the server was given.
func New(user string, given map[string]string) (Settings, error) {
	s := Settings{Telling: Telling{lastReported: map[string]string{}}, Roles: Roles{user: user}}
	initial := values{}
	for _, row := range Table {
		value, ok := given[row.Name]
		if !ok {
			value = row.Initial
		}
		var err error
		if initial[strings.ToLower(row.Name)], err = row.read(&s, value); err != nil {
			return s, err
		}
	}
	s.now, s.kept, s.before = initial, initial, initial
	return s, nil
}

// Begin ends the time in which the client's wishes become the session's defaults.
func (s *Settings) Begin() {
	s.Commit()
	s.Defaults = s.kept
}

// read checks a value and returns how it is shown. A setting that follows another may have
// none.
func (row *Setting) read(s *Settings, value string) (string, error) {
	if row.take == nil || value == "" && row.Follows != "" {
		return value, nil
	}
	return row.take(s, row.Name, value)
}

// Find is the row of a setting. A name with a dot is a client's own and always there, unless it
// begins as those of zproxy do, and so is a mistake.
func Find(name string) (Setting, bool) {
	i := slices.IndexFunc(Table, func(row Setting) bool { return strings.EqualFold(row.Name, name) })
	if i >= 0 {
		return Table[i], true
	}
	return Setting{Name: name}, strings.Contains(name, ".") && misnamed(name) == nil
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

// Unknown is the error about a setting that there is not.
func Unknown(name string) error {
	return sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
}

// Set gives a setting a value, until the transaction ends or for good.
func (s *Settings) Set(name, value string, local bool) error {
	row, ok := Find(name)
	switch {
	case !ok:
		return cmp.Or(misnamed(name), Unknown(name))
	case row.Fixed:
		return sqlerr.New(sqlerr.CantChangeRuntimeParam, "parameter %q cannot be changed", row.Name)
	}
	if row.guarded && s.IsSuper != nil && !s.IsSuper(s.Who.Role()) {
		return statement.Denied("permission denied to set parameter \"%s\"", row.Name)
	}
	if err := s.mayBecome(row.Name, value); err != nil {
		return err
	}
	value, err := row.read(s, value)
	if err != nil {
		return err
	}
	name = strings.ToLower(row.Name)
	s.now = s.now.with(name, value)
	s.version++
	if name == SessionName {
		s.now = s.now.with(RoleName, noRole)
		if !local {
			s.kept = s.kept.with(RoleName, noRole)
		}
	}
	s.ApplyIdentity()
	if !local && row.Follows == "" {
		s.kept = s.kept.with(name, value)
	}
	s.untold, s.Moved = true, true
	return nil
}

// mayBecome asks for leave to be a role, and notes which one its name stands for.
func (s *Settings) mayBecome(name, value string) error {
	if name != RoleName && name != SessionName || s.Become == nil {
		return nil
	}
	if s.Who.Definer != 0 {
		return statement.Denied("cannot set parameter \"%s\" within security-definer function", name)
	}
	if value == noRole || value == "" {
		return nil
	}
	id, err := s.Become(name, value)
	if err == nil {
		s.Who.Known[value] = id
	}
	return err
}

// ApplyIdentity makes the session who its settings say it is.
func (s *Settings) ApplyIdentity() {
	if s.Become == nil {
		return
	}
	s.Who.Session, s.Who.Current = cmp.Or(s.Who.Known[s.now[SessionName]], s.Who.Authenticated),
		s.Who.Known[s.now[RoleName]]
	if super := shownBool(s.IsSuper(s.Who.chosen())); s.now[SuperName] != super {
		s.now, s.kept = s.now.with(SuperName, super), s.kept.with(SuperName, super)
		s.untold = true
	}
}

func shownBool(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Reset gives a setting the value that the session began with.
func (s *Settings) Reset(name string, local bool) error {
	row, ok := Find(name)
	if !ok {
		return Unknown(name)
	}
	if row.Fixed {
		return nil
	}
	return s.Set(row.Name, s.Defaults[strings.ToLower(row.Name)], local)
}

// ResetAll gives all settings that RESET ALL is about the values that the session began with.
func (s *Settings) ResetAll() error {
	for _, row := range Table {
		name := strings.ToLower(row.Name)
		if row.Follows != "" || row.own || s.now[name] == s.Defaults[name] && s.kept[name] == s.Defaults[name] {
			continue
		}
		if err := s.Reset(row.Name, false); err != nil {
			return err
		}
	}
	return nil
}

// Version is a number that another one follows when a setting may have another value.
func (s *Settings) Version() uint64 { return s.version }

// Mark is the present state, for RollbackTo.
func (s *Settings) Mark() State { return s.State }

// RollbackTo goes back to a state.
func (s *Settings) RollbackTo(m State) {
	if !s.Moved {
		return
	}
	was := s.now
	s.State, s.untold = m, true
	s.version++
	for name, value := range m.now {
		if was[name] != value {
			row, _ := Find(name)
			_, _ = row.read(s, value) // it had this value before
		}
	}
	s.ApplyIdentity()
}

// Restore gives one setting that nothing is made of the value that it had.
func (s *Settings) Restore(name string, m State) {
	if was := m.now[name]; was != s.now[name] {
		s.now = s.now.with(name, was)
	}
}

// Commit ends a transaction, and with it what SET LOCAL said.
func (s *Settings) Commit() { s.end(s.kept) }

// Rollback ends a transaction, and with it what was set in it.
func (s *Settings) Rollback() { s.end(s.before) }

func (s *Settings) end(v values) {
	s.RollbackTo(State{v, v})
	s.before, s.Moved = v, false
}

// Get is the value of a setting.
func (s *Settings) Get(name string) (string, bool) {
	name = strings.ToLower(name)
	v, ok := s.now[name]
	if v == "" && ok {
		if of := followed[name]; of != "" {
			return s.Get(of)
		}
	}
	return v, ok
}

// OfPlans are the settings that plans depend on, where they have other values than at first.
func (s *Settings) OfPlans() (out []Parameter) {
	for _, row := range Table {
		if value, _ := s.Get(row.Name); row.planned && value != row.Initial {
			out = append(out, Parameter{row.Name, value})
		}
	}
	return out
}

// unplanned are settings that sessions often have different values of, and no plan depends on. Who the session is, does
// not come from its settings alone.
var unplanned = []string{"application_name", "client_min_messages", "idle_in_transaction_session_timeout",
	"idle_session_timeout", "is_superuser", "lock_timeout", RoleName, SessionName, "statement_timeout",
	"transaction_timeout"}

// AppendPlanned appends a text that is the same only where plans may be: the values of all other settings that there
// are, as far as they are not the first ones. Those with names of a client's own do not count.
func (s *Settings) AppendPlanned(dst []byte) []byte {
	for i := range Table {
		row := &Table[i]
		value := s.now[lowerNames[i]]
		if value == row.Initial || slices.Contains(unplanned, row.Name) {
			continue
		}
		dst = append(append(append(dst, row.Name...), '='), value...)
		dst = append(dst, 0)
	}
	return dst
}

// lowerNames are the names of the settings in the table, by which their values are kept.
var lowerNames = func() (out []string) {
	for _, row := range Table {
		out = append(out, strings.ToLower(row.Name))
	}
	return out
}()

// followed are the settings whose values others have while they have none of their own, by the names of these. Each
// statement reads one of them.
var followed = func() map[string]string {
	out := map[string]string{}
	for _, row := range Table {
		if row.Follows != "" {
			out[strings.ToLower(row.Name)] = row.Follows
		}
	}
	return out
}()

// Reported are all settings that clients are told of, at the start.
func (s *Settings) Reported() []Parameter {
	var out []Parameter
	for _, row := range Table {
		if row.reported {
			value := s.now[strings.ToLower(row.Name)]
			s.lastReported[row.Name] = value
			out = append(out, Parameter{row.Name, value})
		}
	}
	return out
}

// Changed are the settings that have another value than the client was told. After most
// statements there is nothing to look for.
func (s *Settings) Changed() []Parameter {
	if !s.untold {
		return nil
	}
	s.untold = false
	var out []Parameter
	for _, row := range Table {
		value := s.now[strings.ToLower(row.Name)]
		if row.reported && s.lastReported[row.Name] != value {
			s.lastReported[row.Name] = value
			out = append(out, Parameter{row.Name, value})
		}
	}
	return out
}
