// Package isolation plays the isolation specs of PostgreSQL's source package on PostgreSQL 15 and on zproxy, and
// compares what sessions that run at the same time answer, who waits, and in which order they go on.
//
//   - parser_test.go reads a spec, spec_test.go lists the orders of its steps: its permutations.
//   - player_test.go plays one permutation with a connection for each session. transcript_test.go is what came of it.
//     schedules_test.go tries the player with specs of our own.
//   - compare_test.go judges two transcripts: same, different, or unsupported.
//   - answers_test.go keeps PostgreSQL's transcripts, by the text of the spec, in the user's cache.
//   - testdata/expected holds what came of each permutation. The test fails when one of them does worse. -rewrite
//     brings the file up to date and keeps the reasons in it, which are written by hand.
//     testdata/expected-dynamodb is that of DynamoDB, of which make isolation-dynamodb plays a few of each spec: most
//     that are not the same have a NOTICE more, say 40001 in other words or at another statement, or do not wait.
//
// PostgreSQL's specs are not part of the repository: .ci/deps gets them. Specs of our own, in testdata/specs, are for
// what those of PostgreSQL use features for that zproxy does not have; testdata/expected-own is their list. make
// isolation plays all permutations, and the test without flags a few of each spec.
package isolation
