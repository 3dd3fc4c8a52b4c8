package define

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// The WITH options by which Lindorm chooses how a table or an index is stored: how its blocks are compressed, and
// after how many seconds its rows are cold. They are kept, and no store acts on them.
const (
	CompressionOption = "compression"
	ColdOption        = "chs"
)

var compressions = []string{"NONE", "SNAPPY", "LZ4", "ZSTD"}

// storagePolicy takes an option of a storage policy. It says false of any other.
func storagePolicy(o ast.Option) (bool, error) {
	switch o.Name {
	case CompressionOption:
		if !slices.Contains(compressions, strings.ToUpper(o.Value)) {
			return true, sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid value for enum option %q: %s", o.Name, o.Value).
				WithDetail("Valid values are \"%s\".", strings.Join(compressions, "\", \"")).At(int(o.Pos))
		}
		return true, nil
	case ColdOption:
		if n, err := strconv.ParseInt(o.Value, 10, 64); err != nil || n < 1 {
			return true, sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid value for option %q: %s", o.Name, valueOf(o)).
				WithDetail("It is a number of seconds above 0.").At(int(o.Pos))
		}
		return true, nil
	}
	return false, nil
}
