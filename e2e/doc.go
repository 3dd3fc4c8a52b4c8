// Package e2e tests zproxy as its clients meet it: over the wire, on every store.
//
//   - scripts_test.go plays testdata: statements and what they answer. Those in
//     testdata/postgres are PostgreSQL 15's answers, those in testdata/zproxy its own.
//     remote_test.go plays them on DynamoDB's stand-ins; what differs there on purpose stands
//     in deviations_test.go.
//   - documents_test.go plays what docs/documents.md says, and makes that page.
//   - rules_test.go and partition_test.go are oracles: random tables and queries, of
//     which every plan must give the same rows.
//   - metamorphic_test.go plays random programs on every store, with keys in few and many shards, with
//     and without indexes, and wants the same of all.
//   - agree_test.go asks PostgreSQL the same random queries, where it is installed.
//   - differ_test.go runs random programs here and there, of all that gen_*_test.go make:
//     joins, subqueries, windows, writes, transactions, mistakes. What differs on purpose
//     stands in different_test.go; what was found and fixed in testdata/postgres/found.
//   - clients_test.go, psql_test.go: what drivers and psql do with a server.
//   - broken_test.go, crash_test.go, race_test.go: bad input, lost power, many clients.
//
// After each test every index is compared with the rows of its table, and at the end no
// goroutine may be left.
package e2e
