package settings

import (
	"zproxy/catalog"
	"zproxy/catalog/compression"
	"zproxy/catalog/consistency"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/store"
)

// inertClause is something that a statement may say and that changes nothing here, on some stores or on
// all. Who says it gets a NOTICE, unless it is what is done anyway.
type inertClause struct {
	says ast.Clause
	Inert
	anyway bool // it is what is done without it, too
}

// unknownLocks is why clauses about locked rows have no effect among processes.
const unknownLocks = "No process knows which rows sessions of another one have locked: of two that take the same row, " +
	"the one that commits later gets 40001."

// clauseTable is every clause that is taken without effect but for the parameters of storage.
// What is not here acts or is refused.
var clauseTable = []inertClause{
	{says: "UNLOGGED", Inert: Inert{Why: "Commits are durable in every table."}},
	{says: "SKIP LOCKED among processes", Inert: Inert{
		Why:  unknownLocks,
		Hint: "Let each process take rows of its own, as by a hash of their key.",
		Fine: oneProcess,
	}},
	{says: "NOWAIT among processes", Inert: Inert{
		Why:  unknownLocks,
		Fine: oneProcess,
	}},
	{says: ast.WeakerLock("share"), Inert: asForUpdate},
	{says: ast.WeakerLock("key share"), Inert: asForUpdate},
	{says: ast.WeakerLock("no key update"), Inert: asForUpdate},
	{says: "LOCK TABLE among processes", Inert: Inert{
		Why: "It excludes sessions of the same zproxy process. Of two transactions in different processes that write " +
			"the same row, the one that commits later gets 40001.",
		Fine: oneProcess,
	}},
	{says: "VACUUM", Inert: Inert{
		Why:  "A store reclaims space by itself.",
		Hint: "ANALYZE collects the statistics that the planner uses.",
	}},
	{says: "VACUUM option FULL", Inert: roomBySelf},
	{says: "VACUUM option FREEZE", Inert: roomBySelf},
	{says: "VACUUM option VERBOSE", Inert: roomBySelf},
	{says: "VACUUM option DISABLE_PAGE_SKIPPING", Inert: roomBySelf},
	{says: "VACUUM option SKIP_LOCKED", Inert: roomBySelf},
	{says: "VACUUM option PROCESS_TOAST", Inert: roomBySelf},
	{says: "VACUUM option TRUNCATE", Inert: roomBySelf},
	{says: "VACUUM option INDEX_CLEANUP", Inert: roomBySelf},
	{says: "VACUUM option PARALLEL", Inert: roomBySelf},
	{says: "ANALYZE option SKIP_LOCKED", Inert: Inert{Why: "ANALYZE waits for changes of the schema."}},
	{says: "REINDEX option VERBOSE", Inert: Inert{
		Why:  "REINDEX does not report its progress.",
		Hint: "zproxy.index_builds shows how far builds are.",
	}},
	{says: "COPY option FREEZE", Inert: Inert{Why: "Rows have no age."}},
	{says: "the length of type BYTES", Inert: Inert{
		Why:  "It is bytea, which has no length.",
		Hint: "CHECK (octet_length(column) <= length) bounds it.",
	}},
	{says: "the length of type VARBINARY", Inert: Inert{
		Why:  "It is bytea, which has no length; the length of a column that is defined with it is a CHECK.",
		Hint: "CHECK (octet_length(column) <= length) bounds it.",
	}},
	{says: ast.StorageParameter(compression.Option).With(compression.None), Inert: ownCompression},
	{says: ast.StorageParameter(compression.Option).With(compression.LZ4), Inert: ownCompression},
	{says: ast.StorageParameter(compression.Option).With(compression.ZSTD), Inert: Inert{
		Why:  "Only the embedded store compresses tables and indexes in more than one way.",
		Fine: func(on store.Capabilities, _ string) bool { return on.Dense },
	}},
	{says: ast.StorageParameter(consistency.Option).With(consistency.Eventual), Inert: *consistencyOfStore},
	{says: ast.StorageParameter(define.ColdOption), Inert: Inert{
		Why:  "A store has one kind of storage for all rows of a table.",
		Hint: "The option ttl removes old rows; on DynamoDB, capacity and billing are set for each table and index.",
	}},
	{says: ast.StorageParameter(compression.Option).With(compression.Snappy), anyway: true, Inert: Inert{
		Why: "A store compresses for speed unless it is told otherwise.",
	}},
	{says: "CLUSTER ON", Inert: Inert{Why: "Rows are kept in the order of their primary key."}},
	{says: "CLUSTER option VERBOSE", anyway: true, Inert: Inert{Why: "There is no progress to tell of."}},
	{says: "CLUSTER", Inert: Inert{Why: "Rows are kept in the order of their primary key."}},
	{says: "REPLICA IDENTITY", Inert: Inert{Why: "There is no logical replication."}},
	{says: "REPLICA IDENTITY DEFAULT", anyway: true, Inert: Inert{Why: "There is no logical replication."}},
	{says: "SET LOGGED", anyway: true, Inert: Inert{Why: "Commits are durable in every table."}},
	{says: "SET WITHOUT OIDS", anyway: true, Inert: Inert{Why: "Rows have no OIDs."}},
	{says: "ANALYZE of columns", anyway: true, Inert: Inert{Why: "What is read for some columns is all that the others need."}},
	{says: "USING heap", anyway: true, Inert: Inert{Why: "There is one way in which tables are kept."}},
	{says: "TABLESPACE pg_default", anyway: true, Inert: Inert{Why: "There is one tablespace."}},
	{says: "ON COMMIT PRESERVE ROWS", anyway: true, Inert: Inert{
		Why: "Rows of a temporary table stay until the session ends.",
	}},
	{says: ast.StorageParameter("oids"), anyway: true, Inert: Inert{Why: "Rows have no OIDs; only false is taken."}},
	{says: ast.StorageParameter(consistency.Option).With(consistency.Strong), anyway: true, Inert: Inert{
		Why:  "Queries see all commits unless the table lets them miss the last ones.",
		Hint: "On DynamoDB consistency = 'eventual' halves the price of queries.",
	}},
}

var (
	asForUpdate = Inert{
		Why: "Where processes share a store, every lock of a row counts as writing it: in one process such locks exclude " +
			"each other, and of two transactions in different processes that take one of the same row, the one that " +
			"commits later gets 40001.",
		Hint: "Lock only rows whose change would make the transaction wrong, and retry it after 40001.",
		Fine: oneProcess,
	}
	ownCompression = Inert{
		Why:  "The embedded store compresses for speed, as SNAPPY does, or by ZSTD, and DynamoDB as AWS does.",
		Hint: "COMPRESSION = 'ZSTD' makes the embedded store take less room.",
	}
	roomBySelf = Inert{Why: "A store reclaims space by itself."}
	noPages    = Inert{
		Why: "It is about PostgreSQL's pages and their cleanup; a store has a format of its own.",
	}
	noCapacity = Inert{Why: "Only DynamoDB is asked for capacity.",
		Fine: func(on store.Capabilities, _ string) bool { return on.Units }}
)

// oneProcess says whether all transactions of a store are of this process, which knows their locks.
func oneProcess(on store.Capabilities, _ string) bool { return on.Snapshots }

// findClause finds why a clause changes nothing, nil of one that acts.
func findClause(says ast.Clause) *inertClause {
	for i := range clauseTable {
		if clauseTable[i].says == says {
			return &clauseTable[i]
		}
	}
	for _, name := range define.StorageParameters() {
		if says == ast.StorageParameter(name) {
			return &inertClause{says: says, Inert: noPages}
		}
	}
	for _, name := range catalog.CapacityOptions() {
		if says == ast.StorageParameter(name) {
			return &inertClause{says: says, Inert: noCapacity}
		}
	}
	return nil
}

// noticed says whether a NOTICE tells of a clause.
func (c *inertClause) noticed(on store.Capabilities) bool {
	return !c.anyway && (c.Fine == nil || !c.Fine(on, ""))
}

// NoteInertClauses adds notices of the clauses of a statement that have no effect.
func (s *Settings) NoteInertClauses(clauses []ast.Clause) {
	for _, says := range clauses {
		if c := findClause(says); c != nil && c.noticed(s.Store) {
			s.NoteInert(string(says), &c.Inert)
		}
	}
}

// ClauseRow is a clause that changes nothing, for the documentation and tests.
type ClauseRow struct {
	Clause, Why, Hint string
	// Anyway says that it is what is done without it, too, so that no NOTICE says so.
	Anyway bool
	// Noticed says on which stores a NOTICE says that it has no effect.
	Noticed func(store.Capabilities) bool
}

// Clauses are all clauses that are taken without effect on some store.
func Clauses() []ClauseRow {
	var out []ClauseRow
	add := func(c *inertClause) {
		out = append(out, ClauseRow{string(c.says), c.Why, c.Hint, c.anyway, c.noticed})
	}
	for i := range clauseTable {
		add(&clauseTable[i])
	}
	for _, name := range append(define.StorageParameters(), catalog.CapacityOptions()...) {
		if says := ast.StorageParameter(name); findClause(says) != nil {
			add(findClause(says))
		}
	}
	return out
}
