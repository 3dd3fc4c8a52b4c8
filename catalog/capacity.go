package catalog

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/store"
)

// The options of tables and indexes that say what their spaces may be asked for each second.
const (
	BillingOption        = "billing"
	ReadUnitsOption      = "read_units"
	WriteUnitsOption     = "write_units"
	MostReadUnitsOption  = "max_read_units"
	MostWriteUnitsOption = "max_write_units"
	WarmReadUnitsOption  = "warm_read_units"
	WarmWriteUnitsOption = "warm_write_units"
	ClassOption          = "storage_class"
)

// The ways to pay, as values of BillingOption.
const (
	OnDemand    = "on_demand"
	Provisioned = "provisioned"
)

// InfrequentAccess is the value of ClassOption for what is cheaper to keep, and dearer to read and write.
const InfrequentAccess = "infrequent_access"

// CapacityOptions are all of them.
func CapacityOptions() []string {
	return []string{
		BillingOption, ReadUnitsOption, WriteUnitsOption, MostReadUnitsOption, MostWriteUnitsOption,
		WarmReadUnitsOption, WarmWriteUnitsOption, ClassOption,
	}
}

// IsCapacityOption says whether an option is one of those above.
func IsCapacityOption(name string) bool { return slices.Contains(CapacityOptions(), name) }

// IsProvisioned says whether options ask for capacity that is paid for whether it is used or not.
func IsProvisioned(options map[string]string) bool {
	return strings.EqualFold(options[BillingOption], Provisioned)
}

// CapacityOf is what the options of a table or an index ask for. They are known to be right.
func CapacityOf(options map[string]string) store.Capacity {
	units := func(name string) int64 {
		n, _ := strconv.ParseInt(options[name], 10, 64) // 0 without the option
		return n
	}
	return store.Capacity{
		ReadUnits: units(ReadUnitsOption), WriteUnits: units(WriteUnitsOption),
		MostReadUnits: units(MostReadUnitsOption), MostWriteUnits: units(MostWriteUnitsOption),
		WarmReadUnits: units(WarmReadUnitsOption), WarmWriteUnits: units(WarmWriteUnitsOption),
		Infrequent: strings.EqualFold(options[ClassOption], InfrequentAccess),
	}
}
