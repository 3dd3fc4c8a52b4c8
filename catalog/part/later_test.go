package part

import "testing"

// TestLater binds a part of a kind that is not known, which is an error and no panic.
func TestLater(t *testing.T) {
	p := Part{Kind: 255}
	if _, err := p.Bind(nil); err == nil || p.Describe(nil) == "" || len(p.Columns()) != 1 {
		t.Errorf("%v: %q of %d columns", err, p.Describe(nil), len(p.Columns()))
	}
}
