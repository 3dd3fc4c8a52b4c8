package datetime

import "testing"

func TestLoadLocation(t *testing.T) {
	for in, want := range map[string]string{
		"america/new_york": "America/New_York", "AMERICA/PORT-AU-PRINCE": "America/Port-au-Prince",
		"america/port_of_spain": "America/Port_of_Spain", "est5edt": "EST5EDT", "utc": "UTC",
		"etc/gmt+3": "Etc/GMT+3", "us/pacific": "US/Pacific", "UTC+3": "UTC", "xyz-5:30": "XYZ",
		"+3": "", "<+03>-3": "+03",
	} {
		if loc, err := LoadLocation(in); err != nil || loc.String() != want {
			t.Errorf("%s: got %v, %v, want %s", in, loc, err, want)
		}
	}
	for _, in := range []string{"", "Local", "../etc/passwd", "/etc/localtime", "Nowhere/City", "<+3", "UTC+99"} {
		if loc, err := LoadLocation(in); err == nil {
			t.Errorf("%q: got %v", in, loc)
		}
	}
}
