package define

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog/compression"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// ColdOption is the WITH option that says after how many seconds Lindorm moves rows to storage of another kind. It is
// kept, and no store acts on it.
const ColdOption = "chs"

// storagePolicy takes an option of a storage policy. It says false of any other.
func storagePolicy(o ast.Option) (bool, error) {
	switch o.Name {
	case compression.Option:
		if !slices.Contains(compression.Values(), strings.ToUpper(o.Value)) {
			return true, sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid value for enum option %q: %s", o.Name, o.Value).
				WithDetail("Valid values are \"%s\".", strings.Join(compression.Values(), "\", \"")).At(int(o.Pos))
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
