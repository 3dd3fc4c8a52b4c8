package session

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"zproxy/sqlerr"
)

// memoryUnits are those of sizes, the largest first.
var memoryUnits = []memoryUnit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}

type memoryUnit struct {
	name  string
	bytes int64
}

// memory takes a size: a number with a unit, or of kB.
func memory(keep func(s *settings, bytes int64)) func(*settings, string, string) (string, error) {
	const lowest, highest = 64, math.MaxInt32 // in kB, as PostgreSQL has them
	return func(s *settings, name, value string) (string, error) {
		text := strings.TrimSpace(value)
		unit := int64(1 << 10)
		digits := strings.TrimRightFunc(text, func(r rune) bool { return r >= 'A' && r <= 'z' })
		if word := text[len(digits):]; word != "" {
			i := slices.IndexFunc(memoryUnits, func(u memoryUnit) bool { return u.name == word })
			if i < 0 {
				return "", invalid(name, value).WithHint(`Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`)
			}
			unit = memoryUnits[i].bytes
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil {
			return "", invalid(name, value)
		}
		size := math.RoundToEven(n * float64(unit) / 1024)
		if !(size <= highest) {
			return "", invalid(name, value).WithHint("Value exceeds integer range.")
		}
		if size < lowest {
			return "", sqlerr.New(sqlerr.InvalidParameterValue, "%.0f kB is outside the valid range for parameter %q (%d .. %d)", size, name, lowest, highest)
		}
		keep(s, int64(size)<<10)
		return sizeText(int64(size) << 10), nil
	}
}

// sizeText shows a size in the largest unit of which it is a whole number.
func sizeText(bytes int64) string {
	for _, u := range memoryUnits {
		if bytes >= u.bytes && bytes%u.bytes == 0 {
			return strconv.FormatInt(bytes/u.bytes, 10) + u.name
		}
	}
	return "0"
}
