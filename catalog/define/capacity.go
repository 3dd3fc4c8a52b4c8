package define

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/compression"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// mostUnits is far more than any store provides, which knows its own bounds.
const mostUnits = math.MaxInt32

// standardClass is the value of catalog.ClassOption that is there without it.
const standardClass = "standard"

// capacityOption checks the value of an option that says what a table or an index may be asked for.
func capacityOption(o ast.Option) error {
	switch o.Name {
	case catalog.BillingOption:
		return oneOf(o, catalog.OnDemand, catalog.Provisioned)
	case catalog.ClassOption:
		return oneOf(o, standardClass, catalog.InfrequentAccess)
	}
	_, err := integerOption(o, 1, mostUnits)
	return err
}

// oneOf wants one of several words as the value of an option.
func oneOf(o ast.Option, words ...string) error {
	if slices.Contains(words, strings.ToLower(o.Value)) {
		return nil
	}
	last := len(words) - 1
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for enum option %q: %s", o.Name, o.Value).
		At(int(o.Pos)).
		WithDetail("Valid values are \"%s\" and \"%s\".", strings.Join(words[:last], "\", \""), words[last])
}

// integerOption reads the value of an option.
func integerOption(o ast.Option, low, high int) (int, error) {
	n, err := strconv.Atoi(o.Value)
	switch {
	case err != nil:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for integer option %q: %s", o.Name, o.Value).
			At(int(o.Pos))
	case n < low || n > high:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "value %d out of bounds for option %q", n, o.Name).
			At(int(o.Pos)).
			WithDetail("Valid values are between \"%d\" and \"%d\".", low, high)
	}
	return n, nil
}

// capacityFits wants options of a table or an index that go together.
func capacityFits(options map[string]string, given []ast.Option) error {
	provisioned := catalog.IsProvisioned(options)
	billing := catalog.BillingOption + " = '" + catalog.OnDemand + "'"
	if provisioned {
		billing = catalog.BillingOption + " = '" + catalog.Provisioned + "'"
	}
	for _, o := range []struct {
		name        string
		provisioned bool
	}{
		{catalog.ReadUnitsOption, true}, {catalog.WriteUnitsOption, true},
		{catalog.MostReadUnitsOption, false}, {catalog.MostWriteUnitsOption, false},
	} {
		_, there := options[o.name]
		switch {
		case there && o.provisioned != provisioned:
			return sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q does not go with %s", o.name, billing).
				At(int(positionOf(given, o.name))).WithHint("%s", capacityHint)
		case !there && provisioned && o.provisioned:
			return sqlerr.New(sqlerr.InvalidParameterValue, "%s needs parameter %q", billing, o.name).
				At(int(positionOf(given, catalog.BillingOption))).WithHint("%s", capacityHint)
		}
	}
	return nil
}

const capacityHint = "Give billing = 'provisioned' with read_units and write_units, " +
	"or billing = 'on_demand', perhaps with max_read_units and max_write_units."

// keepsSpace says whether an option is about how a space is kept, and not about what is in it.
func keepsSpace(name string) bool {
	return catalog.IsCapacityOption(name) || name == compression.Option
}

// keepSpace says whether one of some options is.
func keepSpace(options map[string]string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(options)), keepsSpace)
}
