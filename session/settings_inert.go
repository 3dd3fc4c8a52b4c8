package session

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/sqlerr"
	"zproxy/store"
)

// inert is why values of a setting change nothing here. Who asks for one that is not what is done
// anyway gets a NOTICE.
type inert struct {
	why  string
	hint string
	// fine says of a value on a store that it is what is done, or acts; nil: none but the initial
	// value is.
	fine func(on store.Capabilities, value string) bool
}

// byRule is for what PostgreSQL's planner goes by.
var byRule = &inert{
	why:  "Access paths and joins are chosen by rules and by what ANALYZE has counted, not by this setting.",
	hint: "A hint such as /*+ USE_INDEX(table, index) */ chooses an index, and EXPLAIN (WHY) tells why one was chosen.",
}

var noWorkers = &inert{
	why:  "No statement is spread over worker processes.",
	hint: "zproxy.parallel_scans sets how many scans of a query run at once.",
}

// noWorkerAsked is noWorkers for their number, which may be none.
var noWorkerAsked = &inert{why: noWorkers.why, hint: noWorkers.hint, fine: anyOf("0")}

var (
	quotesStay     = &inert{why: `In an E'' string \' always stands for a quote, which is safe in UTF8.`, fine: anyOf("on")}
	sampleStays    = &inert{why: "ANALYZE takes a sample of 30,000 rows of each table."}
	noTextSearch   = &inert{why: "There is no text search."}
	neverDeferred  = &inert{why: "No transaction waits until it is safe to read."}
	notCompiled    = &inert{why: "Expressions are not compiled."}
	inEnglish      = &inert{why: "Messages and names of months and days are in English.", fine: isEnglish}
	inC            = &inert{why: "Numbers are written as in the locale C.", fine: anyOf("C", "POSIX", "C.utf8")}
	noMaintenance  = &inert{why: "Making an index has no limit of memory of its own.", hint: "work_mem and zproxy.statement_memory bound what a statement holds."}
	fixedDepth     = &inert{why: "How deep an expression or a query may nest is fixed."}
	scramOnly      = &inert{why: "Passwords are kept as SCRAM-SHA-256 verifiers only."}
	alwaysDurable  = &inert{why: "Every commit is durable when it is acknowledged.", fine: anyOf("local", "remote_write", "remote_apply")}
	fixedKeepalive = &inert{why: "Connections are probed when they have been silent for a minute, four times, every 15 seconds."}
	noBuffers      = &inert{why: "Temporary tables have no buffers of their own."}
)

// What follows says of settings that they are about what is not there, so that each value does what
// it does in a PostgreSQL without it.
var (
	noFunctions  = &inert{why: "There are no functions but those built in.", fine: anyValue}
	plainStrings = &inert{why: "It is about strings in which standard_conforming_strings is off, which is refused.", fine: anyValue}
	noPolicies   = &inert{why: "There are no policies.", fine: anyValue}
	noTriggers   = &inert{why: "There are no triggers and no rules.", fine: anyValue}
	scansApart   = &inert{why: "A scan never begins where another one is.", fine: anyValue}
	noXML        = &inert{why: "There are no values of XML.", fine: anyValue}
)

// What follows acts on some stores, or with some values.
var (
	levelOfStore = &inert{
		why:  "What a transaction sees depends on the store, not on the level that it asks for, and no transaction is serializable.",
		hint: "SELECT ... FOR UPDATE makes a transaction fail if another one writes the rows that it has read.",
		fine: func(on store.Capabilities, level string) bool {
			return level == "read uncommitted" || level == "read committed" || level == "repeatable read" && on.Snapshots
		},
	}
	unitsOnly = &inert{
		why:  "Only DynamoDB charges read units.",
		hint: "zproxy.max_rows_read bounds what a statement examines on every store.",
		fine: func(on store.Capabilities, _ string) bool { return on.Units },
	}
	consistencyOfStore = &inert{
		why:  "On this store every transaction reads a snapshot of all commits; only on DynamoDB is there another way.",
		fine: func(on store.Capabilities, _ string) bool { return !on.Snapshots },
	}
)

func anyValue(store.Capabilities, string) bool { return true }

// anyOf says that some values are what is done.
func anyOf(values ...string) func(store.Capabilities, string) bool {
	return func(_ store.Capabilities, value string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, value) })
	}
}

// isEnglish says whether a locale has the names and messages that there are.
func isEnglish(_ store.Capabilities, locale string) bool {
	language, _, _ := strings.Cut(locale, "_")
	return anyOf("C", "POSIX", "C.utf8", "en")(store.Capabilities{}, language)
}

// describe says of a setting that is inert what pg_settings has for details.
func (row *setting) describe() string {
	switch {
	case row.inert == nil:
		return ""
	case row.inert.fine == nil:
		return "Has no effect: " + row.inert.why
	}
	return "Some values have no effect: " + row.inert.why
}

// ask gives a setting a value that the client wants, and notes what it should hear if that changes
// nothing. It hears so once of each value.
func (s *settings) ask(name, value string, local bool) error {
	if err := s.set(name, value, local); err != nil {
		return err
	}
	row, _ := find(name)
	shown := s.now[strings.ToLower(row.name)]
	if row.inert == nil || shown == row.unasked() || row.inert.fine != nil && row.inert.fine(s.store, shown) {
		return nil
	}
	s.hear(fmt.Sprintf("setting \"%s\" to \"%s\"", row.name, shown), row.inert)
	return nil
}

// hear notes that the client should hear, once, that a wish of its has no effect.
func (s *settings) hear(wish string, because *inert) {
	if s.heard[wish] {
		return
	}
	if s.heard == nil {
		s.heard = map[string]bool{}
	}
	s.heard[wish] = true
	n := sqlerr.Notice(sqlerr.Warning, "%s has no effect", wish).WithDetail("%s", because.why)
	if because.hint != "" {
		n = n.WithHint("%s", because.hint)
	}
	s.unheard = append(s.unheard, n)
}

// unasked is the value that a setting has when none is asked for.
func (row *setting) unasked() string {
	if row.follows != "" {
		row, _ := find(row.follows)
		return row.initial
	}
	return row.initial
}

// Notices are those that the client has yet to hear, each once, if it wants to.
func (s *Session) Notices() []*sqlerr.Error {
	list := s.settings.unheard
	s.settings.unheard = nil
	return slices.DeleteFunc(list, func(n *sqlerr.Error) bool { return slices.Contains(s.settings.unwanted, n.Severity) })
}

// tell sends what the client has yet to hear.
func (s *Session) tell(c Client) error {
	for _, n := range s.Notices() {
		if err := c.Notice(n); err != nil {
			return err
		}
	}
	return nil
}
