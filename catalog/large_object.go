package catalog

// LargeObject is what is said of a large object besides its bytes. It is not part of a Snapshot: there may be very
// many, which come and go as rows do.
type LargeObject struct {
	ID      uint32
	Comment string `json:",omitempty"`
	Rights
}

func (*LargeObject) object() {}
