package executor

import (
	"slices"

	"zproxy/store"
)

// claims are the unique keys, each with the number of its layout, that rows of one
// statement have taken.
type claims map[string]bool

// newClaims has room for the claims of n rows; one row alone needs none.
func newClaims(n int) claims {
	if n < 2 {
		return nil
	}
	return make(claims, n)
}

func (c claims) has(layout int, k store.Key) bool { return c != nil && c[claimKey(layout, k)] }

func (c claims) add(layout int, k store.Key) {
	if c != nil {
		c[claimKey(layout, k)] = true
	}
}

// claimKey is a key with the number of its layout.
func claimKey(layout int, k store.Key) string {
	return string(slices.Concat([]byte{byte(layout), byte(layout >> 8)}, k.Partition, k.Sort))
}
