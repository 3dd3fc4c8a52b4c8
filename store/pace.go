package store

// Pace tells a scan where its batches end for Scan.Enough, besides where they are full.
type Pace struct{ left, total int }

// PaceOf begins a scan.
func PaceOf(enough int) Pace { return Pace{left: enough, total: enough} }

// Step counts an item, and says whether the batch ends with it.
func (p *Pace) Step() bool {
	if p.left--; p.left != 0 {
		return false
	}
	p.left = max(p.total/4, 1)
	p.total += p.left
	return true
}
