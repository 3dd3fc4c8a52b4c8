// Package together lets scans of one statement read parts of one range by one request. They are of several spaces whose
// items lie in the same partitions of one table of another program, as an entity and its parent do. Whichever of them
// comes first reads the first page of the range for all of them. A store may leave that alone.
package together

import "sync"

// Page is the first page of a range in the partition that the scans read. A scan finds there what is its own, and goes
// on behind the page by itself.
type Page struct {
	From, To []byte // the range, of the sort keys; To nil: it has no end
	Enough   int    // the page has no more items, nor more than 1 MB

	mu    sync.Mutex
	begun bool
	page  any
}

// Begin says whether a scan is the first one, which reads the page. Others get the page, nil as long as it is read:
// they do not wait for it.
func (p *Page) Begin() (page any, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first = !p.begun
	p.begun = true
	return p.page, first
}

// Keep keeps the page that the first scan has read.
func (p *Page) Keep(page any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.page = page
}
