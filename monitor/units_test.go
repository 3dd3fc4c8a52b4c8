package monitor_test

import (
	"testing"

	"zproxy/monitor"
)

// TestUnits counts halves of units, since an eventual read takes one.
func TestUnits(t *testing.T) {
	var u monitor.Usage
	u.Add(&monitor.Usage{monitor.ReadHalves: 1, monitor.WriteHalves: 4})
	u.Add(&monitor.Usage{monitor.ReadHalves: 2})
	if u.ReadUnits() != 1.5 || u.WriteUnits() != 2 {
		t.Errorf("%v read units, %v write units", u.ReadUnits(), u.WriteUnits())
	}
}
