package expr

import (
	"testing"
	"time"
)

// TestIDClock goes on from the last time when the clock of the machine goes back.
func TestIDClock(t *testing.T) {
	var clock IDClock
	now := time.Unix(1.7e9, 0)
	first := clock.After(now)
	if second := clock.After(now.Add(-time.Hour)); first != now.UnixNano() || second != first+idStep {
		t.Errorf("%d, then %d", first, second)
	}
}
