// Package mutants puts mistakes into zproxy, one at a time, and wants the tests that look for their consequences to
// fail: a test that never fails shows nothing. Each mistake is another text in the place of one that a file has once.
// go test wants only that; make mutants builds each program, in a copy that the compiler is given by -overlay.
package mutants
