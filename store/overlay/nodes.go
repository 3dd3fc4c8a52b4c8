package overlay

// nodeList is nodes by their offsets. They lie in pages, so that none is moved when there are more of them.
type nodeList[P any] struct {
	pages [][]node[P] // of pageNodes each, but for the last one
	count int
}

const (
	pageBits  = 12
	pageNodes = 1 << pageBits
)

func (l *nodeList[P]) at(n uint32) *node[P] { return &l.pages[n>>pageBits][n%pageNodes] }

// add adds a node, and gives its offset.
func (l *nodeList[P]) add(n node[P]) uint32 {
	if l.count%pageNodes == 0 {
		var page []node[P]
		if l.count > 0 {
			page = make([]node[P], 0, pageNodes)
		}
		l.pages = append(l.pages, page)
	}
	last := &l.pages[len(l.pages)-1]
	*last = append(*last, n)
	l.count++
	return uint32(l.count - 1)
}

// cut leaves so many of the nodes.
func (l *nodeList[P]) cut(count int) {
	full := (count + pageNodes - 1) / pageNodes
	clear(l.pages[full:])
	l.pages = l.pages[:full]
	if rest := count % pageNodes; rest > 0 {
		last := &l.pages[full-1]
		clear((*last)[rest:])
		*last = (*last)[:rest]
	}
	l.count = count
}
