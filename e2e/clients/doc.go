// Package clients runs programs that other people wrote against zproxy and against
// PostgreSQL 15, and compares what they print.
//
//   - schema.sql makes the tables that each program finds in a database of its own.
//   - psql, pgbench, python, java and node hold the programs, and pgx_test.go and pq_test.go are
//     those in Go, for which the program of the tests runs again. Each looks around by the means of
//     its driver, reads, writes, fails, rolls back, streams, and prints text that is
//     the same each time.
//   - orms has programs that make their tables themselves, by migrations of object-relational mappers
//     and their like, and look whether their models are what is there.
//   - types has programs that look up types of a database's own, which types.sql makes, and send and read their values
//     in text and in binary; that in Go, pgx_types_test.go, also sends bytes that are no values.
//   - zorder has what psql shows of what zproxy alone has.
//   - pev2 has the page on which pev2, which draws PostgreSQL's plans, draws those of zproxy in
//     chromium.
//   - differences lists the lines that are not the same, with the reason. The test keeps the
//     list true; with -rewrite it writes it.
//
// A program whose tools are missing is skipped. Debian has all but those of node and pev2, which
// npm fetches into the user's cache, and those of orms and types, which npm and pip do.
package clients
