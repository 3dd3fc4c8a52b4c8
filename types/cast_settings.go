package types

import "slices"

// castsBySettings are the casts whose result the time zone decides.
var castsBySettings = [][2]OID{
	{OIDDate, OIDTimestamptz}, {OIDTimestamp, OIDTimestamptz}, {OIDTime, OIDTimetz},
	{OIDTimestamptz, OIDDate}, {OIDTimestamptz, OIDTimestamp}, {OIDTimestamptz, OIDTime}, {OIDTimestamptz, OIDTimetz},
}

// CastBySettings says whether a cast may have another result under other settings, or at another
// time, as PostgreSQL has it: so no index can rest on it. Times as texts are such.
func CastBySettings(from, to OID) bool {
	f, t := InfoOf(from), InfoOf(to)
	switch {
	case f.Element != OIDInvalid && t.Element != OIDInvalid:
		return CastBySettings(f.Element, t.Element)
	case f.Category == CategoryString && t.Category == CategoryString:
		return false
	case f.Category == CategoryString:
		return readBySettings(t)
	case t.Category == CategoryString:
		return readBySettings(f) && from != OIDTime && from != OIDTimetz
	}
	return slices.Contains(castsBySettings, [2]OID{from, to})
}

// readBySettings says whether settings decide what a text means as a value of a type.
func readBySettings(t *Info) bool {
	switch t.OID {
	case OIDDate, OIDTime, OIDTimetz, OIDTimestamp, OIDTimestamptz, OIDInterval, OIDRecord:
		return true
	}
	return t.Element != OIDInvalid || slices.Contains(regOIDs, t.OID)
}
