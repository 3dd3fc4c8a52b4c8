// Package levels tests what the isolation levels promise, on zproxy and, as the judge of the tests themselves, on
// PostgreSQL.
//
//   - serial_test.go lets clients run random transactions, and looks in their history for anomalies that the level
//     forbids. client_test.go, reads_test.go and writes_test.go are these clients; internal/anomaly finds anomalies.
//   - skew_test.go has write skew with predicates: counts, overlapping ranges, sums over joins.
//   - schedules_test.go plays statements of several sessions in a given order at each level, and compares the answers,
//     and which sessions wait, with those of PostgreSQL. sessions_test.go plays them.
//   - random_schedules_test.go makes schedules on PostgreSQL, and plays them again.
//
// Read servers_test.go first: it has the table of what zproxy keeps of each level today.
package levels
