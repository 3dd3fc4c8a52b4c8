// Package datetime is the functions of dates, times and intervals: their arithmetic, parts, zones and series, and
// the clocks. Functions with patterns, such as to_char, are in format. Begin with dateFunctions.
package datetime

import "slices"

// Functions are all functions and operators of this family.
var Functions = slices.Concat(
	dateFunctions, extractFunctions, intervalFunctions, clockFunctions, zoneFunctions, makeFunctions,
	extractClockFunctions, binFunctions, overlapsFunctions, timeSeriesFunctions,
)
