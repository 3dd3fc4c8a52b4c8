package executor

import "zproxy/store"

// claims are the unique keys, each with the number of its layout, that rows of one
// statement have taken. Of nil there are none, and none is noted.
type claims struct {
	taken map[string]bool
	key   []byte // a buffer
}

// newClaims has room for the claims of n rows; one row alone needs none.
func newClaims(n int) *claims {
	if n < 2 {
		return nil
	}
	return &claims{taken: make(map[string]bool, n)}
}

func (c *claims) has(layout int, k store.Key) bool {
	if c == nil {
		return false
	}
	c.key = appendClaim(c.key[:0], layout, k)
	return c.taken[string(c.key)]
}

func (c *claims) add(layout int, k store.Key) {
	if c != nil {
		c.key = appendClaim(c.key[:0], layout, k)
		c.taken[string(c.key)] = true
	}
}

// appendClaim appends the number of a layout and a key.
func appendClaim(dst []byte, layout int, k store.Key) []byte {
	return append(append(append(dst, byte(layout), byte(layout>>8)), k.Partition...), k.Sort...)
}

// claimKey is a key with the number of its layout.
func claimKey(layout int, k store.Key) string { return string(appendClaim(nil, layout, k)) }
