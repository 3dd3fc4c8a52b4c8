package session

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/store"
)

// inertClause is something that a statement may say and that changes nothing here, on some stores or on
// all. Who says it gets a NOTICE, unless it is what is done anyway.
type inertClause struct {
	says ast.Clause
	inert
	anyway bool // it is what is done without it, too
}

// clauseTable is every clause that is taken without effect but for the parameters of storage.
// What is not here acts or is refused.
var clauseTable = []inertClause{
	{says: "UNLOGGED", inert: inert{why: "What is committed is durable, in every table."}},
	{says: "SKIP LOCKED", inert: inert{
		why:  "No statement knows which rows other transactions are about to write: of two that take the same row, the one that commits later gets 40001.",
		hint: "Let each worker take rows of its own, as by a hash of their key, or use an advisory lock.",
	}},
	{says: ast.WeakerLock("share"), inert: asForUpdate},
	{says: ast.WeakerLock("key share"), inert: asForUpdate},
	{says: ast.WeakerLock("no key update"), inert: asForUpdate},
	{says: "LOCK TABLE", inert: inert{
		why:  "Nothing waits for rows or tables: of two transactions that write the same row, the one that commits later gets 40001.",
		hint: "An advisory lock keeps others out that ask for it, too.",
	}},
	{says: "VACUUM", inert: inert{why: "A store gives room back by itself.", hint: "ANALYZE counts what queries are planned by."}},
	{says: "VACUUM option FULL", inert: roomBySelf},
	{says: "VACUUM option FREEZE", inert: roomBySelf},
	{says: "VACUUM option VERBOSE", inert: roomBySelf},
	{says: "VACUUM option DISABLE_PAGE_SKIPPING", inert: roomBySelf},
	{says: "VACUUM option SKIP_LOCKED", inert: roomBySelf},
	{says: "VACUUM option PROCESS_TOAST", inert: roomBySelf},
	{says: "VACUUM option TRUNCATE", inert: roomBySelf},
	{says: "VACUUM option INDEX_CLEANUP", inert: roomBySelf},
	{says: "VACUUM option PARALLEL", inert: roomBySelf},
	{says: "ANALYZE option VERBOSE", inert: inert{why: "ANALYZE tells nothing of its progress.", hint: "pg_stats and zproxy.indexes show what it has counted."}},
	{says: "ANALYZE option SKIP_LOCKED", inert: inert{why: "ANALYZE waits for changes of the schema."}},
	{says: "REINDEX option VERBOSE", inert: inert{why: "REINDEX tells nothing of its progress.", hint: "zproxy.index_builds shows how far builds are."}},
	{says: "COPY option FREEZE", inert: inert{why: "Rows have no age that could be kept from rising."}},
	{says: "the length of type BYTES", inert: inert{why: "It is bytea, which has no length.", hint: "CHECK (octet_length(column) <= length) bounds it."}},
	{says: "NOWAIT", anyway: true, inert: inert{why: "Nothing waits for rows or tables."}},
	{says: "USING heap", anyway: true, inert: inert{why: "There is one way in which tables are kept."}},
	{says: "TABLESPACE pg_default", anyway: true, inert: inert{why: "There is one tablespace."}},
	{says: "ON COMMIT PRESERVE ROWS", anyway: true, inert: inert{why: "Rows of a temporary table stay until the session ends."}},
	{says: "NOT DEFERRABLE", anyway: true, inert: inert{why: "Every constraint is checked at once."}},
	{says: "INITIALLY IMMEDIATE", anyway: true, inert: inert{why: "Every constraint is checked at once."}},
	{says: ast.StorageParameter("security_barrier"), anyway: true, inert: inert{why: "Only false is taken."}},
	{says: ast.StorageParameter("security_invoker"), anyway: true, inert: inert{why: "Only false is taken: who may read a view needs no right to its tables."}},
	{says: ast.StorageParameter("oids"), anyway: true, inert: inert{why: "Rows have no OIDs; only false is taken."}},
	{says: ast.StorageParameter("consistency"), anyway: true, inert: inert{why: "Writes see the last commit; only strong is taken.", hint: "zproxy.read_consistency chooses for reads."}},
}

var (
	asForUpdate = inert{
		why:  "Every lock of a row counts as writing it: of two transactions that take one of the same row, the one that commits later gets 40001.",
		hint: "Lock only rows whose change would make what the transaction does wrong, and begin it anew at 40001.",
	}
	roomBySelf = inert{why: "A store gives room back by itself."}
	noPages    = inert{why: "It is about pages of PostgreSQL's and how they are cleaned; a store keeps rows in its own way."}
	noCapacity = inert{why: "Only DynamoDB is asked for capacity.", fine: func(on store.Capabilities, _ string) bool { return on.Units }}
)

// findClause finds why a clause changes nothing, nil of one that acts.
func findClause(says ast.Clause) *inertClause {
	for i := range clauseTable {
		if clauseTable[i].says == says {
			return &clauseTable[i]
		}
	}
	for _, name := range planner.StorageParameters() {
		if says == ast.StorageParameter(name) {
			return &inertClause{says: says, inert: noPages}
		}
	}
	for _, name := range catalog.CapacityOptions() {
		if says == ast.StorageParameter(name) {
			return &inertClause{says: says, inert: noCapacity}
		}
	}
	return nil
}

// hearClauses notes what a client should hear of what a statement of its says.
func (s *Session) hearClauses(said []ast.Clause) {
	for _, says := range said {
		if c := findClause(says); c != nil && !c.anyway && (c.fine == nil || !c.fine(s.settings.store, "")) {
			s.settings.hear(string(says), &c.inert)
		}
	}
}

// ClauseRow is a clause that changes nothing, for the documentation and tests.
type ClauseRow struct {
	Clause, Why, Hint string
	// Anyway says that it is what is done without it, too, so that no NOTICE says so.
	Anyway bool
}

// Clauses are all clauses that are taken without effect on an embedded store.
func Clauses() []ClauseRow {
	var out []ClauseRow
	add := func(c *inertClause) {
		out = append(out, ClauseRow{string(c.says), c.why, c.hint, c.anyway})
	}
	for i := range clauseTable {
		add(&clauseTable[i])
	}
	for _, name := range append(planner.StorageParameters(), catalog.CapacityOptions()...) {
		if says := ast.StorageParameter(name); findClause(says) != nil {
			add(findClause(says))
		}
	}
	return out
}
