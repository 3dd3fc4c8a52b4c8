package types

import "unsafe"

// Tick counts n units of work. After an error of a function that makes text, and has no way to
// say so, the text may be cut short: Ended tells.
func (e *Env) Tick(n int) error {
	if e == nil || e.Work == nil {
		return nil
	}
	return e.Work.Tick(n)
}

// Make is called before a value of so many bytes is made.
func (e *Env) Make(bytes int64) error {
	if e == nil || e.Work == nil {
		return nil
	}
	return e.Work.Make(bytes)
}

// itemsPiece is how many items of an array are copied between two ticks, and valueBytes the memory of each.
const (
	itemsPiece = 1 << 10
	valueBytes = int64(unsafe.Sizeof(Value{}))
)

// Ended is the error of a statement that is to end, nil while it may go on. Once it is an
// error it stays one.
func (e *Env) Ended() error { return e.Tick(endedUnits) }

// endedUnits is more work than any Work lets pass without asking.
const endedUnits = 1 << 20
