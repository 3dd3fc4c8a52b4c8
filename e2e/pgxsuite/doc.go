// Package pgxsuite runs the tests of the driver pgx, which come with its module, against
// zproxy.
//
//   - testdata/postgres names those that pass on PostgreSQL 15; -record writes it anew.
//   - testdata/missing names those of them that do not pass here, under the reason. The test
//     fails when another one fails and when one of these passes; -rewrite brings the file
//     up to date, and puts what has no reason yet under "unexplained".
//   - testdata/notrun names those that are not run, there or here, under the reason.
//
// What has subtests is not counted, its subtests are.
package pgxsuite
