package metrics

import (
	"strings"

	"zproxy/internal/cpu"
	"zproxy/internal/memory"
)

// metric is one row of the table of metrics, from which the page for users is made, too.
type metric struct {
	name   string
	kind   metricType
	labels []string
	help   string
	read   func(st *state, to *sink)
}

// metricType is how Prometheus reads a metric.
type metricType string

const (
	typeCounter   metricType = "counter"
	typeGauge     metricType = "gauge"
	typeHistogram metricType = "histogram"
)

// table is every metric there is, but those of the Go runtime and of the process.
func table() []metric {
	return []metric{
		{"zproxy_statements_total", typeCounter, []string{"kind", "outcome"}, "Statements that ended, by their kind and by `ok` or the class of the SQLSTATE: the first two characters, as `40` for a conflict.", statements},
		{"zproxy_statement_seconds", typeHistogram, []string{"kind"}, "Duration of statements until their last row was sent, with the commit of a single one.", latencies},
		{"zproxy_rows_read_total", typeCounter, nil, "Items that the store delivered.", used(RowsRead)},
		{"zproxy_keys_read_total", typeCounter, nil, "Keys that the store passed over or delivered.", used(KeysRead)},
		{"zproxy_rows_returned_total", typeCounter, nil, "Rows that clients got or that statements wrote.", used(RowsReturned)},
		{"zproxy_scans_total", typeCounter, nil, "Times that a table or an index was opened. Ranges and requests for each of them are those counters divided by this one.", used(Scans)},
		{"zproxy_ranges_total", typeCounter, nil, "Ranges of keys that were scanned.", used(Ranges)},
		{"zproxy_requests_total", typeCounter, nil, "Requests to the store: round trips to DynamoDB; on Pebble ranges and gets.", used(Requests)},
		{"zproxy_lookups_total", typeCounter, nil, "Rows fetched behind entries of an index that lacks a column.", used(Lookups)},
		{"zproxy_read_bytes_total", typeCounter, nil, "Bytes of keys and values that the store delivered.", used(BytesRead)},
		{"zproxy_items_written_total", typeCounter, nil, "Items put and deleted: rows and index entries.", used(ItemsWritten)},
		{"zproxy_written_bytes_total", typeCounter, nil, "Approximate bytes of their keys and values.", used(BytesWritten)},
		{"zproxy_spilled_bytes_total", typeCounter, nil, "Bytes that sorts, hash joins and groups wrote to temporary files.", used(BytesSpilled)},
		{"zproxy_conflicts_total", typeCounter, nil, "Commits that failed with a conflict: those that were retried automatically, and those for which the client got 40001.", used(Conflicts)},
		{"zproxy_lock_wait_seconds_total", typeCounter, nil, "Seconds that statements waited for locks of rows and tables, and for advisory locks.", func(st *state, to *sink) { to.value(float64(st.summary.Usage[LockWait]) / 1e9) }},
		{"zproxy_read_units_total", typeCounter, nil, "Read units that DynamoDB charged statements.", func(st *state, to *sink) { to.value(st.summary.Usage.ReadUnits()) }},
		{"zproxy_write_units_total", typeCounter, nil, "Write units that DynamoDB charged statements.", func(st *state, to *sink) { to.value(st.summary.Usage.WriteUnits()) }},
		{"zproxy_throttled_total", typeCounter, nil, "Attempts at requests of statements that the store refused because of its load, and that were repeated.", used(Throttled)},
		{"zproxy_connections", typeGauge, []string{"state"}, "Sessions, by what they do: `active`, `idle`, `idle in transaction`, `idle in transaction (aborted)`.", sessions},
		{"zproxy_connections_open", typeGauge, nil, "Connections that are open, also those that have no session yet.", func(st *state, to *sink) { to.value(float64(st.wire.Open)) }},
		{"zproxy_connections_total", typeCounter, nil, "Connections that were accepted.", func(st *state, to *sink) { to.value(float64(st.wire.Accepted)) }},
		{"zproxy_connections_refused_total", typeCounter, nil, "Connections that were refused since there were too many.", func(st *state, to *sink) { to.value(float64(st.wire.Refused)) }},
		{"zproxy_authentication_failures_total", typeCounter, nil, "Clients that failed to authenticate, or may not connect: SQLSTATE class 28.", func(st *state, to *sink) { to.value(float64(st.wire.Unauthorized)) }},
		{"zproxy_statement_texts_dropped_total", typeCounter, nil, "Texts that were evicted from `zproxy.statements`, which is full.", func(st *state, to *sink) { to.value(float64(st.dropped)) }},
		{"zproxy_statement_cache_hits_total", typeCounter, nil, "Statements without names whose plan was found in the cache.", plans(0)},
		{"zproxy_statement_cache_misses_total", typeCounter, nil, "Statements without names that were looked for in the cache in vain.", plans(1)},
		{"zproxy_statement_cache_bytes", typeGauge, nil, "Approximate bytes of the plans in the cache.", plans(2)},
		{"zproxy_memory_limit_bytes", typeGauge, nil, "Bytes that all statements together may hold.", pool(func(c memory.Counts) int64 { return c.Limit })},
		{"zproxy_memory_held_bytes", typeGauge, nil, "Bytes that they hold: of sorts, hash tables, transactions, portals, prepared statements and large values.", pool(func(c memory.Counts) int64 { return c.Used })},
		{"zproxy_memory_waiting", typeGauge, nil, "Sessions that wait for memory.", pool(func(c memory.Counts) int64 { return int64(c.Waiting) })},
		{"zproxy_memory_refused_total", typeCounter, nil, "Requests for memory that ended a statement, since there was none: SQLSTATE 53200.", pool(func(c memory.Counts) int64 { return c.Refused })},
		{"zproxy_processor_waiting", typeGauge, nil, "Long statements that wait until others have computed.", scheduler(func(c cpu.Counts) int64 { return int64(c.Waiting) })},
		{"zproxy_processor_waits_total", typeCounter, nil, "Times that a long statement waited until others had computed.", scheduler(func(c cpu.Counts) int64 { return c.Waited })},
		{"zproxy_hot_key_requests_per_second", typeGauge, []string{"space", "key"}, "The ten keys of tables and indexes that this process reads and writes most, in the last minute or two, as `zproxy.hot_keys` has them.", hotKeys},
		{"zproxy_row_cache_hits_total", typeCounter, nil, "Rows that queries got from the cache of rows.", rowCache(0)},
		{"zproxy_row_cache_misses_total", typeCounter, nil, "Rows that queries could have got from the cache of rows, and read from the store.", rowCache(1)},
		{"zproxy_row_cache_rows", typeGauge, nil, "Rows in the cache of rows.", rowCache(2)},
		{"zproxy_row_cache_bytes", typeGauge, nil, "Approximate bytes that they take.", rowCache(3)},
		{"zproxy_store_disk_bytes", typeGauge, nil, "Bytes of Pebble's files.", measure("disk_bytes")},
		{"zproxy_store_tables", typeGauge, nil, "Pebble's sorted files.", measure("tables")},
		{"zproxy_store_read_amplification", typeGauge, nil, "Levels of Pebble that a read may have to look at.", measure("read_amplification")},
		{"zproxy_store_memtable_bytes", typeGauge, nil, "Bytes of Pebble's writes that are only in memory and in its log.", measure("memtable_bytes")},
		{"zproxy_store_cache_bytes", typeGauge, nil, "Bytes in Pebble's cache of blocks.", measure("cache_bytes")},
		{"zproxy_store_cache_hits_total", typeCounter, nil, "Blocks that were in the cache.", measure("cache_hits")},
		{"zproxy_store_cache_misses_total", typeCounter, nil, "Blocks that were not in the cache.", measure("cache_misses")},
		{"zproxy_store_flushes_total", typeCounter, nil, "Times that Pebble wrote memory to files.", measure("flushes")},
		{"zproxy_store_compactions_total", typeCounter, nil, "Compactions of Pebble.", measure("compactions")},
		{"zproxy_store_compaction_debt_bytes", typeGauge, nil, "Bytes that Pebble would have to compact.", measure("compaction_debt_bytes")},
		{"zproxy_store_log_bytes_total", typeCounter, nil, "Bytes written to Pebble's log.", measure("log_bytes")},
		{"zproxy_store_snapshots", typeGauge, nil, "Snapshots of Pebble that transactions hold; old rows are kept for them.", measure("snapshots")},
		{"zproxy_dynamodb_attempts_total", typeCounter, []string{"operation"}, "Requests that were sent to DynamoDB, with each attempt that had to be repeated.", attempts},
		{"zproxy_dynamodb_retries_total", typeCounter, nil, "Attempts that repeated an earlier one.", measure("retries")},
		{"zproxy_dynamodb_throttled_total", typeCounter, []string{"space", "reason"}, "Attempts that DynamoDB refused for the load, by the space, which is a table or an index, and by DynamoDB's reason. Spaces and reasons beyond 1,000 are one without names.", throttled},
		{"zproxy_dynamodb_hot_partitions", typeGauge, []string{"space", "partition"}, "The ten partitions at which most attempts were refused since their key range was too busy, with how many those were, or a few more.", hotPartitions},
		{"zproxy_dynamodb_waited_seconds_total", typeCounter, nil, "Time that requests waited for their next attempt.", measure("waited_seconds")},
		{"zproxy_dynamodb_requests_in_flight", typeGauge, nil, "Requests that are under way.", measure("in_flight")},
		{"zproxy_dynamodb_connections", typeGauge, nil, "Connections to DynamoDB that are open.", measure("connections")},
		{"zproxy_dynamodb_extras_total", typeCounter, nil, "Index entries that remain, without harm, because their removal failed. `CHECK INDEX` finds them.", measure("extras")},
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

func used(c Counter) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(st.summary.Usage[c])) }
}

func sessions(st *state, to *sink) {
	for state, n := range st.sessions {
		to.value(float64(n), state)
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
	written := map[HotPartition]bool{}
	for _, h := range st.hot[:min(len(st.hot), mostHot)] {
		n := h.Refused
		h.Refused = 0
		if !written[h] { // a name may stand for several that cannot be told apart
			written[h] = true
			to.value(float64(n), h.Where, label(h.Partition))
		}
	}
}

func hotKeys(st *state, to *sink) {
	written := map[HotKey]bool{}
	for _, k := range st.keys[:min(len(st.keys), mostHot)] {
		n := k.PerSecond
		k.PerSecond = 0
		if !written[k] {
			written[k] = true
			to.value(n, k.Where, label(k.Key))
		}
	}
}

// rowCache reads a count of the cache of rows.
func rowCache(i int) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(st.rows[i])) }
}

// label is a text that a label may have.
func label(text string) string { return strings.ToValidUTF8(text[:min(len(text), mostLabel)], "?") }

// scheduler reads a count of the scheduler of long statements.
func scheduler(of func(cpu.Counts) int64) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(of(st.scheduler))) }
}

// pool reads a count of the memory that statements hold.
func plans(i int) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(st.plans[i])) }
}

func pool(of func(memory.Counts) int64) func(*state, *sink) {
	return func(st *state, to *sink) { to.value(float64(of(st.memory))) }
}
