package datetime

import (
	"strings"
	"time"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/form"
)

// Zone is a time zone as AT TIME ZONE takes it: a place, an offset, or an abbreviation
// whose offset depends on the time.
type Zone struct{ d dateTime }

// FixedZone is a zone of so many seconds east of UTC.
func FixedZone(east int) Zone { return Zone{dateTime{offset: east}} }

// FindZone finds a zone by its abbreviation or its name.
func FindZone(name string) (Zone, error) {
	name = form.CutBytes(name, maxZoneName)
	if d, ok := abbreviatedZone(strings.ToLower(name)); ok {
		return Zone{d}, nil
	}
	loc, err := LoadLocation(name)
	return Zone{dateTime{location: loc}}, err
}

// Location is the zone as Go has it. There is none of an abbreviation whose offset depends on the time.
func (z Zone) Location() (*time.Location, bool) {
	switch {
	case z.d.location == nil:
		return time.FixedZone("", z.d.offset), true
	case z.d.abbreviation != "":
		return nil, false
	}
	return z.d.location, true
}

func abbreviatedZone(name string) (d dateTime, ok bool) {
	abbr, ok := abbreviations()[name]
	if !ok || abbr.location == "" {
		d.offset = abbr.offset
		return d, ok
	}
	loc, err := LoadLocation(abbr.location)
	d.location, d.abbreviation = loc, strings.ToUpper(name)
	return d, err == nil
}

// ParseZone finds a zone by its name, its abbreviation or as an offset with its sign,
// as make_timestamptz does.
func ParseZone(name string) (Zone, error) {
	if name != "" && form.IsDigit(name[0]) {
		return Zone{}, sqlerr.New(sqlerr.InvalidParameterValue,
			"invalid input syntax for type %s: \"%s\"", "numeric time zone", name).
			WithHint("Numeric time zones must have \"-\" or \"+\" as first character.")
	}
	if name == "" || name[0] != '+' && name[0] != '-' {
		return FindZone(name)
	}
	var d decoder
	switch d.setOffset(name) {
	case nil:
		return FixedZone(d.offset), nil
	case errOffset:
		return Zone{}, sqlerr.New(sqlerr.InvalidParameterValue, "numeric time zone \"%s\" out of range", name)
	}
	return FindZone(name)
}

// ToUTC takes a timestamp as the local time of the zone and gives the moment.
func (z Zone) ToUTC(local int64) (int64, error) {
	if !calendar.IsFinite(local) {
		return local, nil
	}
	return shift(local, -z.d.offsetOf(local))
}

// ToLocal gives the local time of the zone at a moment.
func (z Zone) ToLocal(micros int64) (int64, error) {
	if !calendar.IsFinite(micros) {
		return micros, nil
	}
	return shift(micros, int64(z.OffsetAt(micros)))
}

// OffsetAt is the seconds east of UTC at a moment.
func (z Zone) OffsetAt(micros int64) int {
	if z.d.location == nil {
		return z.d.offset
	}
	at := time.Unix(unixSeconds(micros), 0).In(z.d.location)
	if z.d.abbreviation != "" {
		return offsetOfAbbreviation(at, z.d.abbreviation)
	}
	_, offset := at.Zone()
	return offset
}
