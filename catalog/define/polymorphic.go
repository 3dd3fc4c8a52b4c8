package define

import (
	"slices"
	"strings"

	"zproxy/types"
)

// families are the polymorphic types that each other say what they stand for.
var families = [][]types.OID{
	{types.OIDAnyElement, types.OIDAnyArray, types.OIDAnyNonArray, types.OIDAnyEnum, types.OIDAnyRange, types.OIDAnyMultirange},
	{types.OIDAnyCompatible, types.OIDAnyCompatibleArray, types.OIDAnyCompatibleNonArray, types.OIDAnyCompatibleRange,
		types.OIDAnyCompatibleMultirange},
}

// determined refuses a polymorphic result that no input says the type of. There may be several types of ranges over a
// type, so only ranges say which.
func determined(result types.T, inputs []types.OID) error {
	for _, family := range families {
		at := slices.Index(family, result.OID)
		if at < 0 {
			continue
		}
		if ranges := family[len(family)-2:]; slices.Contains(ranges, result.OID) {
			family = ranges
		}
		if slices.ContainsFunc(inputs, func(oid types.OID) bool { return slices.Contains(family, oid) }) {
			continue
		}
		return invalid("cannot determine result data type").WithDetail("A result of type %s requires at least one input of type %s.",
			result, listed(family))
	}
	return nil
}

// listed are the names of types in a sentence.
func listed(list []types.OID) string {
	names := make([]string, len(list))
	for i, oid := range list {
		names[i] = types.InfoOf(oid).Name
	}
	last := len(names) - 1
	separator := ", or "
	if last == 1 {
		separator = " or "
	}
	return strings.Join(names[:last], ", ") + separator + names[last]
}
