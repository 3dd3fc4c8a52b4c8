package calendar

import "strings"

// unitNames has all names of a unit of time on a line, the one that the code uses first.
const unitNames = `microsecond microsecon us usec usecs usecond useconds
millisecond millisecon ms msec msecs msecond mseconds
second seconds sec secs s
minute minutes min mins m
hour hours hr hrs h
day days d
week weeks w
month months mon mons
quarter qtr
year years yr yrs y
decade decades dec decs
century centuries cent c
millennium millennia mil mils
timezone
timezone_hour timezone_h
timezone_minute timezone_m
julian j jd`

// maxUnitLetters is how many letters of a unit count; PostgreSQL cuts its names there.
const maxUnitLetters = 10

var units = indexUnits()

func indexUnits() map[string]string {
	index := make(map[string]string)
	for line := range strings.Lines(unitNames) {
		names := strings.Fields(line)
		for _, name := range names {
			index[name] = names[0]
		}
	}
	return index
}

// CanonicalUnit is the name that the code uses for a unit of time: month for mons.
// What is no unit stays as it is, in lower case.
func CanonicalUnit(s string) string {
	if name, ok := units[s]; ok {
		return name
	}
	s = strings.ToLower(s)
	if name, ok := units[s[:min(len(s), maxUnitLetters)]]; ok {
		return name
	}
	return s
}
