package regex

// maxPatterns bounds the compiled patterns that a Cache keeps, and maxKept the states of them
// together: a statement that makes its patterns from data would fill the memory otherwise.
const (
	maxPatterns = 128
	maxKept     = 1 << 19
)

// Cache keeps compiled patterns for the next row. The zero one is empty.
type Cache struct {
	patterns map[Key]*Regexp
	states   int
}

// Key is what a pattern was compiled from.
type Key struct{ Pattern, Flags string }

// Get finds a compiled pattern, nil when there is none.
func (c *Cache) Get(key Key) *Regexp { return c.patterns[key] }

// Put keeps a compiled pattern. A full cache forgets all others.
func (c *Cache) Put(key Key, re *Regexp) {
	if c.patterns == nil || len(c.patterns) >= maxPatterns || c.states > maxKept {
		c.patterns, c.states = make(map[Key]*Regexp), 0
	}
	c.patterns[key] = re
	c.states += re.States()
}
