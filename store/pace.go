package store

// Pace tells a scan where its batches end for Scan.Enough, besides where they are full.
type Pace struct{ left, total int }

// PaceOf begins a scan.
func PaceOf(enough int) Pace { return Pace{left: enough, total: enough} }

// Room is how many of n items come before the batch is to be delivered, and no fewer than one.
func (p *Pace) Room(n int) int {
	if p.left > 0 {
		return min(n, p.left)
	}
	return n
}

// Step counts an item, and says whether the batch ends with it.
func (p *Pace) Step() bool { return p.Steps(1) }

// Steps counts as many items as there is Room for, and says the same.
func (p *Pace) Steps(n int) bool {
	if p.left -= n; p.left != 0 {
		return false
	}
	p.left = max(p.total/4, 1)
	p.total += p.left
	return true
}
