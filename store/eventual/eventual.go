// Package eventual says which reads of a transaction may miss the last commits. A store may have a lower price for
// them. Where they are allowed is up to the callers: session/transaction allows them for queries, and all other
// transactions of the program are of the zero Reads. Read Reads first.
package eventual

// Reads are those that may. What is read with store.Get.Remember, or store.Scan.Remember, never does.
type Reads uint8

// Which reads may miss the last commits.
const (
	Never  Reads = iota
	Spaces       // those of spaces that are Eventual
	Always
)

// Of says whether reads of a space may, which is Eventual or not.
func (r Reads) Of(space bool) bool { return r == Always || r == Spaces && space }
