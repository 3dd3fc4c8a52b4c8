package datetime

import (
	"time"

	"zproxy/types/calendar"
)

// unixSeconds turns microseconds since 2000 into whole seconds since 1970, downwards.
func unixSeconds(micros int64) int64 {
	return calendar.FloorDiv(micros, calendar.MicrosPerSecond) - calendar.UnixEpoch*86400
}

// OffsetAt is the seconds east of UTC at a moment.
func OffsetAt(micros int64, loc *time.Location) int64 {
	if loc == time.UTC {
		return 0
	}
	_, offset := time.Unix(unixSeconds(micros), 0).In(loc).Zone()
	return int64(offset)
}

// OffsetOfLocal is the seconds east of UTC of a local time. Where a change of the
// offset makes the time missing or ambiguous, it is the one that standard time would
// give, as in PostgreSQL.
func OffsetOfLocal(local int64, loc *time.Location) int64 {
	if loc == time.UTC {
		return 0
	}
	seconds := unixSeconds(local)
	dayBefore := time.Unix(seconds-86400, 0).In(loc)
	_, before := dayBefore.Zone()
	_, boundary := dayBefore.ZoneBounds()
	if boundary.IsZero() {
		return int64(before)
	}
	_, after := boundary.Zone()
	early, late := seconds-int64(before), seconds-int64(after)
	switch change := boundary.Unix(); {
	case early < change && late < change:
		return int64(before)
	case early > change && late >= change:
		return int64(after)
	}
	return int64(min(before, after))
}

// LocalToUTC takes a timestamp as the local time of a zone and gives the moment.
func LocalToUTC(local int64, loc *time.Location) (int64, error) {
	if !calendar.IsFinite(local) {
		return local, nil
	}
	return shift(local, -OffsetOfLocal(local, loc))
}

// UTCToLocal gives the local time of a zone at a moment.
func UTCToLocal(micros int64, loc *time.Location) (int64, error) {
	if !calendar.IsFinite(micros) {
		return micros, nil
	}
	return shift(micros, OffsetAt(micros, loc))
}

func shift(micros, seconds int64) (int64, error) {
	shifted := micros + seconds*calendar.MicrosPerSecond
	if (shifted < micros) != (seconds < 0) || !calendar.Valid(shifted) {
		return 0, calendar.OutOfRange()
	}
	return shifted, nil
}
