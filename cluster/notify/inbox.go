package notify

import "sync"

// inbox is the notifications that a session has not sent to its client. Other sessions fill
// it.
type inbox struct {
	mu    sync.Mutex
	list  []Notification
	bytes int
	wake  func() // nil: no client waits for them
}

func (b *inbox) put(n Notification) {
	b.mu.Lock()
	b.list = append(b.list, n)
	b.bytes += len(n.Channel) + len(n.Payload)
	b.mu.Unlock()
	if b.wake != nil {
		b.wake()
	}
}

// take empties the inbox.
func (b *inbox) take() []Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.list
	b.list, b.bytes = nil, 0
	return list
}

func (b *inbox) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes >= maxInbox
}

func (b *inbox) usage() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return float64(b.bytes) / maxInbox
}
