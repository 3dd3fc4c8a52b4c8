package work

// mostCached bounds what a Cache keeps, and heaviest how much that weighs together: a statement that makes patterns
// from data would fill the memory otherwise.
const (
	mostCached = 128
	heaviest   = 1 << 19
)

// Pattern is a pattern with what reads it in one way: that which reads, or its flags.
type Pattern struct {
	By   any
	Text string
}

// Cache keeps what was made of patterns, for the next row. The zero one is empty.
type Cache struct {
	made   map[Pattern]any
	weight int
}

// Get finds what was made, nil if nothing was.
func (c *Cache) Get(key Pattern) any { return c.made[key] }

// Put keeps what was made, with about how many parts it has. A full cache forgets all others.
func (c *Cache) Put(key Pattern, made any, weight int) {
	if c.made == nil || len(c.made) >= mostCached || c.weight > heaviest {
		c.made, c.weight = map[Pattern]any{}, 0
	}
	c.made[key] = made
	c.weight += weight
}
