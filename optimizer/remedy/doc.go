// Package remedy says how a statement could read less: which index would serve a scan, whether it is there,
// can be built or must be made, or which conditions a foreign table lacks. It builds the errors of statements
// that read more than a session allows, with that as their hint. What plans read is package cost's matter; when
// a statement is refused is the session's. Read Statement.For first.
package remedy
