package settings

import (
	"strings"

	"zproxy/optimizer/remedy"
)

// The characteristics of a transaction, which are settings too.
const (
	IsolationName  = "transaction_isolation"
	ReadOnlyName   = "transaction_read_only"
	DeferrableName = "transaction_deferrable"
)

// isolation takes the levels of the standard. All of them are kept by the one that there
// is.
func isolation(_ *Settings, name, value string) (string, error) {
	for _, level := range []string{"serializable", "repeatable read", "read committed", "read uncommitted"} {
		if strings.EqualFold(level, value) {
			return level, nil
		}
	}
	return "", invalid(name,
		value).WithHint("Available values: serializable, repeatable read, read committed, read uncommitted.")
}

// FullScanName says what becomes of a statement that reads all of a table.
const FullScanName = remedy.FullScanSetting

// What it may be.
const (
	AllowFullScan  = "allow"
	NoticeFullScan = "notice"
	RefuseFullScan = "refuse"
)

// MaxUnitsName bounds what a statement may be charged for reading.
const MaxUnitsName = remedy.MaxUnitsSetting

// MaxWritesName bounds what a statement may be charged for writing.
const MaxWritesName = remedy.MaxWritesSetting

// TTLIntervalName shows how often expired rows are removed.
const TTLIntervalName = "zproxy.ttl_interval"

// forceGeneric is the plan_cache_mode in which parameters make no difference.
const forceGeneric = "force_generic_plan"

// Parameter is one setting that clients are told of.
type Parameter struct{ Name, Value string }
