//go:build race

package wire

// racing says that the race detector is on, which makes stacks and buffers larger.
const racing = true
