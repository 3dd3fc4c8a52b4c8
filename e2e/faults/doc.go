// Package faults tests what zproxy promises while its store fails: seeded runs of a small world with several
// servers on one store, each with several clients, and faults.
//
//   - world_test.go runs everything under a fake clock, one request to the store at a time, in an
//     order that the seed draws, so that a run can be seen again.
//   - flaky_test.go makes a store in memory fail, stores_test.go says on what a run plays.
//   - servers_test.go kills servers, so that their clients go on at others.
//   - bank_test.go, ring_test.go, registers_test.go, shapes_test.go, loads_test.go, changes_test.go, lists_test.go and
//     kin_test.go are the programs of clients, each with what must hold of its tables while they run and afterwards.
//   - faults_test.go draws runs from seeds. make faults N=1000 SEED=1 plays many.
package faults
