package overlay

// Arena copies bytes into large chunks that live as long as any of the copies.
type Arena struct{ chunk []byte }

// The chunks grow from a size that suits one row to one that suits a load.
const (
	minChunk = 512
	maxChunk = 1 << 20
)

// Copy is a copy of b that nothing changes.
func (a *Arena) Copy(b []byte) []byte {
	if len(b) > cap(a.chunk)-len(a.chunk) {
		size := min(max(2*cap(a.chunk), minChunk), maxChunk)
		a.chunk = make([]byte, 0, max(size, len(b)))
	}
	start := len(a.chunk)
	a.chunk = append(a.chunk, b...)
	return a.chunk[start:len(a.chunk):len(a.chunk)]
}
