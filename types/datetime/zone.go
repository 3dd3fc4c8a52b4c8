package datetime

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// zoneAbbreviation is an offset in seconds east of UTC or, where an abbreviation's
// offset changed over the years, a place.
type zoneAbbreviation struct {
	offset   int
	dst      bool
	location string
}

// abbreviationList has a line for each abbreviation of PostgreSQL's default set: its
// name, and its seconds east of UTC (and dst) or a place.
//
//go:embed abbreviations.txt
var abbreviationList string

var abbreviations = sync.OnceValue(func() map[string]zoneAbbreviation {
	index := make(map[string]zoneAbbreviation)
	for line := range strings.Lines(abbreviationList) {
		fields := strings.Fields(line)
		offset, err := strconv.Atoi(fields[1])
		if err != nil {
			index[fields[0]] = zoneAbbreviation{location: fields[1]}
			continue
		}
		index[fields[0]] = zoneAbbreviation{offset: offset, dst: len(fields) > 2}
	}
	return index
})

// LoadLocation finds a time zone by its name in the tz database, in any case, or takes
// the name as POSIX does: letters, and the hours west of UTC.
func LoadLocation(name string) (*time.Location, error) {
	if len(name) > maxZoneName {
		return nil, unknownZone(name)
	}
	if loc, ok := loadZone(name); ok {
		return loc, nil
	}
	lower := strings.ToLower(name)
	for _, spelling := range []string{strings.ToUpper(name), titleCase(lower)} {
		if loc, ok := loadZone(spelling); ok {
			return loc, nil
		}
	}
	if loc := posixZone(name); loc != nil {
		return loc, nil
	}
	return nil, unknownZone(name)
}

// maxZoneName is the length of the longest name that a zone may have.
const maxZoneName = 255

func unknownZone(name string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "time zone \"%s\" not recognized", name)
}

// loadZone leaves out the two names that Go alone gives a meaning.
func loadZone(name string) (*time.Location, bool) {
	if name == "" || name == "Local" {
		return nil, false
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil
}

// posixZone reads UTC+3, EST5 or <+03>-3 (POSIX.1-2017, section 8.3, TZ), which has no daylight
// saving time here. It is nil for anything else.
func posixZone(name string) *time.Location {
	letters := form.SpanWhile(name, form.IsLetter)
	if strings.HasPrefix(name, "<") {
		letters = strings.IndexByte(name, '>') + 1
	}
	west := name[letters:]
	if west == "" {
		return nil
	}
	if form.IsDigit(west[0]) {
		west = "+" + west
	}
	var d decoder
	if west[0] != '+' && west[0] != '-' || len(west) == 1 || !form.IsDigit(west[1]) || d.setOffset(west) != nil {
		return nil
	}
	return time.FixedZone(strings.Trim(strings.ToUpper(name[:letters]), "<>"), -d.offset)
}

// titleCase spells a name in lower case as the tz database does: America/New_York,
// America/Port_of_Spain, Etc/GMT+3.
func titleCase(name string) string {
	b := []byte(name)
	for i, c := range b {
		rest := name[i:]
		if form.IsLetter(c) && (i == 0 || b[i-1] == '/' ||
			(b[i-1] == '_' || b[i-1] == '-') && !startsSmallWord(rest)) {
			b[i] -= 'a' - 'A'
		}
	}
	return strings.NewReplacer("Gmt", "GMT", "Utc", "UTC", "Us/", "US/").Replace(string(b))
}

func startsSmallWord(s string) bool {
	return strings.HasPrefix(s, "of_") || strings.HasPrefix(s, "es_") || strings.HasPrefix(s, "au-")
}

// LocationName is a name by which LoadLocation finds the same zone; empty for UTC.
func LocationName(loc *time.Location) string {
	if loc == nil || loc == time.UTC {
		return ""
	}
	if east, fixed := fixedOffset(loc); fixed {
		return OffsetName(east)
	}
	return loc.String()
}

// OffsetName is the POSIX name of an offset in seconds east of UTC: <+03>-03.
func OffsetName(east int) string {
	signs, text := "+-", ""
	if east < 0 {
		signs, east = "-+", -east
	}
	switch {
	case east%60 != 0:
		text = fmt.Sprintf("%02d:%02d:%02d", east/3600, east/60%60, east%60)
	case east%3600 != 0:
		text = fmt.Sprintf("%02d:%02d", east/3600, east/60%60)
	default:
		text = fmt.Sprintf("%02d", east/3600)
	}
	return "<" + signs[:1] + text + ">" + signs[1:] + text
}
