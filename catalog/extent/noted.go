package extent

// Noted is how many changes of rows the runs of one statement have noted. A statement that runs again after a conflict
// makes the same changes again, and they are to be noted once. A nil one knows of no run.
type Noted struct {
	run  int // changes of the present run
	most int // of any run
}

// Again begins another run.
func (n *Noted) Again() {
	if n != nil {
		n.run = 0
	}
}

// Known is how many of the next so many changes of a run an earlier run has noted.
func (n *Noted) Known(changes int) int {
	if n == nil {
		return 0
	}
	known := min(changes, n.most-n.run)
	n.run += changes
	n.most = max(n.most, n.run)
	return known
}
