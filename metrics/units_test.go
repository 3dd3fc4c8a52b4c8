package metrics

import "testing"

// TestUnits counts halves of units, since an eventual read takes one.
func TestUnits(t *testing.T) {
	var u Usage
	u.Add(&Usage{ReadHalves: 1, WriteHalves: 4})
	u.Add(&Usage{ReadHalves: 2})
	if u.ReadUnits() != 1.5 || u.WriteUnits() != 2 {
		t.Errorf("%v read units, %v write units", u.ReadUnits(), u.WriteUnits())
	}
}
