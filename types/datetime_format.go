package types

func appendDate(dst []byte, v Value, _ *Env) []byte {
	days := v.Days()
	switch days {
	case dateInfinity:
		return append(dst, "infinity"...)
	case dateNegInf:
		return append(dst, "-infinity"...)
	}
	year, month, day := civilFromDays(int64(days))
	return appendEra(appendCivil(dst, year, month, day), year)
}

// appendCivil appends YYYY-MM-DD; a year before 1 counts backwards from 1 BC.
func appendCivil(dst []byte, year, month, day int) []byte {
	if year <= 0 {
		year = 1 - year
	}
	dst = append(appendPadded(dst, year, 4), '-')
	dst = append(appendPadded(dst, month, 2), '-')
	return appendPadded(dst, day, 2)
}

func appendEra(dst []byte, year int) []byte {
	if year <= 0 {
		return append(dst, " BC"...)
	}
	return dst
}

// appendPadded appends n >= 0 with zeros before it to a width.
func appendPadded(dst []byte, n, width int) []byte {
	var buf [20]byte
	i := len(buf)
	for ; n > 0 || width > 0; n /= 10 {
		i--
		width--
		buf[i] = byte('0' + n%10)
	}
	return append(dst, buf[i:]...)
}

func appendTimestamp(dst []byte, v Value, _ *Env) []byte {
	micros := v.Micros()
	if !isFiniteTimestamp(micros) {
		return appendInfiniteTimestamp(dst, micros)
	}
	dst, year := appendDateTime(dst, micros)
	return appendEra(dst, year)
}

func appendTimestamptz(dst []byte, v Value, env *Env) []byte {
	micros := v.Micros()
	if !isFiniteTimestamp(micros) {
		return appendInfiniteTimestamp(dst, micros)
	}
	offset := offsetAt(micros, env.location())
	dst, year := appendDateTime(dst, micros+offset*microsPerSecond)
	return appendEra(appendOffset(dst, int(offset)), year)
}

func appendInfiniteTimestamp(dst []byte, micros int64) []byte {
	if micros < 0 {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// appendDateTime appends YYYY-MM-DD HH:MM:SS[.ffffff] and returns the year too.
func appendDateTime(dst []byte, micros int64) ([]byte, int) {
	days := floorDiv(micros, microsPerDay)
	year, month, day := civilFromDays(days)
	dst = append(appendCivil(dst, year, month, day), ' ')
	return appendClock(dst, micros-days*microsPerDay), year
}

// appendClock appends HH:MM:SS and the fraction without its trailing zeros.
func appendClock(dst []byte, micros int64) []byte {
	seconds, fraction := int(micros/microsPerSecond), int(micros%microsPerSecond)
	dst = append(appendPadded(dst, seconds/3600, 2), ':')
	dst = append(appendPadded(dst, seconds/60%60, 2), ':')
	return appendFraction(appendPadded(dst, seconds%60, 2), fraction)
}

// appendFraction appends millionths behind a point, if there are any, without trailing
// zeros.
func appendFraction(dst []byte, fraction int) []byte {
	if fraction == 0 {
		return dst
	}
	width := 6
	for ; fraction%10 == 0; fraction /= 10 {
		width--
	}
	return appendPadded(append(dst, '.'), fraction, width)
}

// appendOffset appends +HH[:MM[:SS]] for seconds east of UTC.
func appendOffset(dst []byte, seconds int) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = appendPadded(append(dst, sign), seconds/3600, 2)
	if seconds%3600 != 0 {
		dst = appendPadded(append(dst, ':'), seconds/60%60, 2)
	}
	if seconds%60 != 0 {
		dst = appendPadded(append(dst, ':'), seconds%60, 2)
	}
	return dst
}
