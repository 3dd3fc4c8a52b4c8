// Package regress runs PostgreSQL's own regression suite, of its Debian source package, on PostgreSQL 15 and on zproxy,
// and counts the statements that both answer in the same way.
//
//   - split_test.go divides a file of the suite into statements, commands of psql and data of COPY.
//   - play_test.go lets psql run the statements of a file one after another, with a mark after each of them.
//   - servers_test.go starts both servers. zproxy is a process of its own, so that its end is an answer, too.
//   - compare_test.go judges two answers, and finds the cause of what is not the same.
//   - report_test.go makes REPORT.md of all that.
//
// The suite is not part of the repository: .ci/deps gets it. It takes long, so only make regress runs it, and renews
// REPORT.md.
package regress
