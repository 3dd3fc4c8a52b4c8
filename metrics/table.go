package metrics

import (
	"strings"

	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/monitor"
	"zproxy/session"
)

// metric is one row of the table of metrics, from which the page for users is made, too.
type metric struct {
	name   string
	kind   kind
	labels []string
	help   string
	read   func(st *state, to *sink)
}

// kind is how Prometheus reads a metric.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
)

// table is every metric there is, but those of the Go runtime and of the process.
func table() []metric {
	return []metric{
		{"zproxy_statements_total", counter, []string{"kind", "outcome"}, "Statements that ended, by their kind and by `ok` or the class of the SQLSTATE: the first two characters, as `40` for a conflict.", statements},
		{"zproxy_statement_seconds", histogram, []string{"kind"}, "What statements took, with the commit of a single one, until their last row was sent.", latencies},
		{"zproxy_rows_read_total", counter, nil, "Items that the store delivered.", used(monitor.RowsRead)},
		{"zproxy_keys_read_total", counter, nil, "Keys that the store passed over or delivered.", used(monitor.KeysRead)},
		{"zproxy_rows_returned_total", counter, nil, "Rows that clients got or that statements wrote.", used(monitor.RowsReturned)},
		{"zproxy_scans_total", counter, nil, "Times that a table or an index was opened. Ranges and requests for each of them are those counters divided by this one.", used(monitor.Scans)},
		{"zproxy_ranges_total", counter, nil, "Ranges of keys that were scanned.", used(monitor.Ranges)},
		{"zproxy_requests_total", counter, nil, "Requests to the store: round trips to DynamoDB; on Pebble ranges and gets.", used(monitor.Requests)},
		{"zproxy_lookups_total", counter, nil, "Rows fetched behind entries of an index that lacks a column.", used(monitor.Lookups)},
		{"zproxy_read_bytes_total", counter, nil, "Bytes of keys and values that the store delivered.", used(monitor.BytesRead)},
		{"zproxy_items_written_total", counter, nil, "Items put and deleted: rows and index entries.", used(monitor.ItemsWritten)},
		{"zproxy_written_bytes_total", counter, nil, "Bytes of their keys and values, about.", used(monitor.BytesWritten)},
		{"zproxy_spilled_bytes_total", counter, nil, "Bytes that sorts and hash joins wrote to temporary files.", used(monitor.BytesSpilled)},
		{"zproxy_conflicts_total", counter, nil, "Commits that met a conflict: those that were tried again by themselves, and those that the client got 40001 for.", used(monitor.Conflicts)},
		{"zproxy_read_units_total", counter, nil, "Read units that DynamoDB charged statements.", func(st *state, to *sink) { to.value(st.summary.Usage.ReadUnits()) }},
		{"zproxy_write_units_total", counter, nil, "Write units that it charged them.", func(st *state, to *sink) { to.value(st.summary.Usage.WriteUnits()) }},
		{"zproxy_throttled_total", counter, nil, "Attempts of statements at requests that the store refused for its load, and that were made again.", used(monitor.Throttled)},
		{"zproxy_connections", gauge, []string{"state"}, "Sessions, by what they do: `active`, `idle`, `idle in transaction`, `idle in transaction (aborted)`.", sessions},
		{"zproxy_connections_open", gauge, nil, "Connections that are open, also those that have no session yet.", func(st *state, to *sink) { to.value(float64(st.wire.Open)) }},
		{"zproxy_connections_total", counter, nil, "Connections that were accepted.", func(st *state, to *sink) { to.value(float64(st.wire.Accepted)) }},
		{"zproxy_connections_refused_total", counter, nil, "Connections that were refused since there were too many.", func(st *state, to *sink) { to.value(float64(st.wire.Refused)) }},
		{"zproxy_authentication_failures_total", counter, nil, "Clients that did not show who they are, or may not connect: SQLSTATE class 28.", func(st *state, to *sink) { to.value(float64(st.wire.Unauthorized)) }},
		{"zproxy_statement_texts_dropped_total", counter, nil, "Texts that made room for others in `zproxy.statements`.", func(st *state, to *sink) { to.value(float64(st.dropped)) }},
		{"zproxy_memory_limit_bytes", gauge, nil, "Bytes that all statements together may hold.", pool(func(c memory.Counts) int64 { return c.Limit })},
		{"zproxy_memory_held_bytes", gauge, nil, "Bytes that they hold: of sorts, hash tables, transactions, portals, prepared statements and large values.", pool(func(c memory.Counts) int64 { return c.Used })},
		{"zproxy_memory_waiting", gauge, nil, "Sessions that wait for memory.", pool(func(c memory.Counts) int64 { return int64(c.Waiting) })},
		{"zproxy_memory_refused_total", counter, nil, "Requests for memory that ended a statement, since there was none: SQLSTATE 53200.", pool(func(c memory.Counts) int64 { return c.Refused })},
		{"zproxy_processor_waiting", gauge, nil, "Long statements that wait until others have computed.", turns(func(c cpu.Counts) int64 { return int64(c.Waiting) })},
		{"zproxy_processor_waits_total", counter, nil, "Times that a long statement waited so.", turns(func(c cpu.Counts) int64 { return c.Waited })},
		{"zproxy_store_disk_bytes", gauge, nil, "Bytes of Pebble's files.", measure("disk_bytes")},
		{"zproxy_store_tables", gauge, nil, "Pebble's sorted files.", measure("tables")},
		{"zproxy_store_read_amplification", gauge, nil, "Levels of Pebble that a read may have to look at.", measure("read_amplification")},
		{"zproxy_store_memtable_bytes", gauge, nil, "Bytes of Pebble's writes that are only in memory and in its log.", measure("memtable_bytes")},
		{"zproxy_store_cache_bytes", gauge, nil, "Bytes in Pebble's cache of blocks.", measure("cache_bytes")},
		{"zproxy_store_cache_hits_total", counter, nil, "Blocks that were in the cache.", measure("cache_hits")},
		{"zproxy_store_cache_misses_total", counter, nil, "Blocks that were not.", measure("cache_misses")},
		{"zproxy_store_flushes_total", counter, nil, "Times that Pebble wrote memory to files.", measure("flushes")},
		{"zproxy_store_compactions_total", counter, nil, "Compactions of Pebble.", measure("compactions")},
		{"zproxy_store_compaction_debt_bytes", gauge, nil, "Bytes that Pebble would have to compact.", measure("compaction_debt_bytes")},
		{"zproxy_store_log_bytes_total", counter, nil, "Bytes written to Pebble's log.", measure("log_bytes")},
		{"zproxy_store_snapshots", gauge, nil, "Snapshots of Pebble that transactions hold; old rows are kept for them.", measure("snapshots")},
		{"zproxy_dynamodb_attempts_total", counter, []string{"operation"}, "Requests that were sent to DynamoDB, with each attempt that had to be repeated.", attempts},
		{"zproxy_dynamodb_retries_total", counter, nil, "Attempts that repeated one before.", measure("retries")},
		{"zproxy_dynamodb_throttled_total", counter, []string{"space", "reason"}, "Attempts that DynamoDB refused for the load, by the space, which is a table or an index, and by DynamoDB's reason. Spaces and reasons beyond 1,000 are one without names.", throttled},
		{"zproxy_dynamodb_hot_partitions", gauge, []string{"space", "partition"}, "The ten partitions at which most attempts were refused since their key range was too busy, with how many those were, or a few more.", hotPartitions},
		{"zproxy_dynamodb_waited_seconds_total", counter, nil, "Time that requests waited for their next attempt.", measure("waited_seconds")},
		{"zproxy_dynamodb_requests_in_flight", gauge, nil, "Requests that are under way.", measure("in_flight")},
		{"zproxy_dynamodb_connections", gauge, nil, "Connections to DynamoDB that are open.", measure("connections")},
		{"zproxy_dynamodb_extras_total", counter, nil, "Entries of indexes that stayed behind, without harm, since their removal failed. `CHECK INDEX` finds them.", measure("extras")},
	}
}

func statements(st *state, to *sink) {
	for result, n := range st.summary.Statements {
		to.value(float64(n), result.Kind.String(), result.Outcome)
	}
}

func latencies(st *state, to *sink) {
	for kind, h := range st.summary.Latency {
		to.histogram(&h, kind.String())
	}
}

func used(c monitor.Counter) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(st.summary.Usage[c])) }
}

func sessions(st *state, to *sink) {
	counts := map[session.State]int{session.Active: 0, session.Idle: 0, session.IdleInTransaction: 0, session.IdleInFailed: 0}
	for _, a := range st.activity {
		counts[a.State]++
	}
	for s, n := range counts {
		to.value(float64(n), string(s))
	}
}

// measure is one that the store may tell.
func measure(name string) func(*state, *sink) {
	return func(st *state, to *sink) {
		if v, ok := st.measures[name]; ok {
			to.value(v)
		}
	}
}

func attempts(st *state, to *sink) {
	for operation, n := range st.pressure.Requests {
		to.value(float64(n), operation)
	}
}

func throttled(st *state, to *sink) {
	for _, r := range st.pressure.Refused {
		to.value(float64(r.Count), r.Space, r.Reason)
	}
}

// mostHot is how many partitions are told; their names are labels, of which there must not be many.
const mostHot = 10

// mostLabel is how long the name of a partition gets.
const mostLabel = 200

func hotPartitions(st *state, to *sink) {
	told := map[session.HotPartition]bool{}
	for _, h := range st.hot[:min(len(st.hot), mostHot)] {
		n := h.Refused
		h.Refused = 0
		if !told[h] { // a name may stand for several that cannot be told apart
			told[h] = true
			to.value(float64(n), h.Where, strings.ToValidUTF8(h.Partition[:min(len(h.Partition), mostLabel)], "?"))
		}
	}
}

// turns reads a count of the statements that compute in turn.
func turns(of func(cpu.Counts) int64) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(of(st.turns))) }
}

// pool reads a count of the memory that statements hold.
func pool(of func(memory.Counts) int64) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(of(st.memory))) }
}
