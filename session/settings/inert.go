package settings

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/sqlerr"
	"zproxy/store"
)

// Inert is why values of a setting change nothing here. Who asks for one that is not what is done
// anyway gets a NOTICE.
type Inert struct {
	Why  string
	Hint string
	// fine says of a value on a store that it is what is done, or acts; nil: none but the initial
	// value is.
	Fine func(on store.Capabilities, value string) bool
}

// byRule is for what PostgreSQL's planner goes by.
var byRule = &Inert{
	Why:  "Access paths and joins are chosen by rules and by what ANALYZE has counted, not by this setting.",
	Hint: "A hint such as /*+ USE_INDEX(table, index) */ chooses an index, and EXPLAIN (WHY) tells why one was chosen.",
}

// partitionOnly is for what leaves tables out.
var partitionOnly = &Inert{
	Why: "The CHECK constraints of the tables in a UNION ALL decide which of them are read, and no others do, as with partition.",
}

var noWorkers = &Inert{
	Why:  "No statement is spread over worker processes.",
	Hint: "zproxy.parallel_scans sets how many scans of a query run at once.",
}

// otherWorkers is for the number of workers of a statement, of which only none counts.
var otherWorkers = &Inert{
	Why:  "0 turns workers off. Other numbers have no effect.",
	Hint: "zproxy.max_parallel_workers_per_gather sets how many workers read a large table.",
	Fine: anyOf("0"),
}

// noWorkerAsked is noWorkers for their number, which may be none.
var noWorkerAsked = &Inert{Why: noWorkers.Why, Hint: noWorkers.Hint, Fine: anyOf("0")}

var (
	quotedIfNeeded = &Inert{Why: "Names in generated SQL are quoted where they must be."}
	sampleStays    = &Inert{Why: "ANALYZE takes a sample of 30,000 rows of each table."}
	notCompiled    = &Inert{Why: "Expressions are not compiled."}
	inEnglish      = &Inert{Why: "Messages and names of months and days are in English.", Fine: isEnglish}
	inC            = &Inert{Why: "Numbers are written as in the locale C.", Fine: anyOf("C", "POSIX", "C.utf8")}
	noMaintenance  = &Inert{Why: "Making an index has no limit of memory of its own.",
		Hint: "work_mem and zproxy.statement_memory bound what a statement holds."}
	fixedDepth    = &Inert{Why: "The maximum nesting depth of expressions and queries is fixed."}
	scramOnly     = &Inert{Why: "Passwords are kept as SCRAM-SHA-256 verifiers only."}
	alwaysDurable = &Inert{Why: "Every commit is durable when it is acknowledged.",
		Fine: anyOf("local", "remote_write", "remote_apply")}
	fixedKeepalive   = &Inert{Why: "Connections are probed when they have been silent for a minute, four times, every 15 seconds."}
	alwaysWatched    = &Inert{Why: "A client that has gone is noticed at once."}
	alwaysIdentified = &Inert{Why: "Each statement has an identifier."}
	alwaysTracked    = &Inert{Why: "What is counted and timed is so always."}
	noFiles          = &Inert{Why: "The store writes its files as it has to."}
	noLog            = &Inert{Why: "There is no log of PostgreSQL's."}
	noTOAST          = &Inert{Why: "The store compresses, by the option of tables and indexes.",
		Hint: "WITH (compression = ...) sets how a table is compressed."}
	allFound       = &Inert{Why: "Every row that matches is found."}
	noPending      = &Inert{Why: "Indexes have no lists of entries that wait."}
	oneMemory      = &Inert{Why: "work_mem bounds hash tables like all that an operator holds."}
	statisticsNow  = &Inert{Why: "Statistics are shown as they are when they are read."}
	noTitle        = &Inert{Why: "All sessions are in one process."}
	noVacuum       = &Inert{Why: "There are no dead rows, and no ages of rows."}
	noPagesDamaged = &Inert{Why: "A store checks what it reads, and never goes on with what is damaged."}
	noBuffers      = &Inert{Why: "Temporary tables have no buffers of their own."}
)

// What follows says of settings that they are about what is not there, so that each value does what
// it does in a PostgreSQL without it.
var (
	scansSeparate = &Inert{Why: "Scans are never synchronized.", Fine: anyValue}
	noXML         = &Inert{Why: "There are no values of XML.", Fine: anyValue}
)

// What follows acts on some stores, or with some values.
var (
	unitsOfParts = &Inert{
		Why:  "Only DynamoDB charges read units.",
		Hint: "On other stores a sample of about 200,000 rows is read of a larger table.",
		Fine: func(on store.Capabilities, _ string) bool { return on.Units },
	}
	consistencyOfStore = &Inert{
		Why:  "On this store every transaction reads a snapshot of all commits; only on DynamoDB is there another way.",
		Fine: func(on store.Capabilities, _ string) bool { return on.Units },
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

// Describe says of a setting that is inert what pg_settings has for details.
func (row *Setting) Describe() string {
	switch {
	case row.inert == nil:
		return ""
	case row.inert.Fine == nil:
		return "Has no effect: " + row.inert.Why
	}
	return "Some values have no effect: " + row.inert.Why
}

// Ask gives a setting a value that the client wants, and notes what it should hear if that changes
// nothing. It hears so once of each value.
func (s *Settings) Ask(name, value string, local bool) error {
	if err := s.Set(name, value, local); err != nil {
		return err
	}
	row, _ := Find(name)
	shown := s.now[strings.ToLower(row.Name)]
	if row.inert == nil || shown == row.unasked() || row.inert.Fine != nil && row.inert.Fine(s.Store, shown) {
		return nil
	}
	s.NoteInert(fmt.Sprintf("setting \"%s\" to \"%s\"", row.Name, shown), row.inert)
	return nil
}

// NoteInert adds a notice, once per session, that a request of the client has no effect.
func (s *Settings) NoteInert(request string, because *Inert) {
	if s.Noticed[request] {
		return
	}
	if s.Noticed == nil {
		s.Noticed = map[string]bool{}
	}
	s.Noticed[request] = true
	n := sqlerr.Notice(sqlerr.Warning, "%s has no effect", request).WithDetail("%s", because.Why)
	if because.Hint != "" {
		n = n.WithHint("%s", because.Hint)
	}
	s.PendingNotices = append(s.PendingNotices, n)
}

// unasked is the value that a setting has when none is asked for.
func (row *Setting) unasked() string {
	if row.Follows != "" {
		row, _ := Find(row.Follows)
		return row.Initial
	}
	return row.Initial
}
