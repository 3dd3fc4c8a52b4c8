// Package autovacuum is about the storage parameters of tables that say when their statistics are renewed in the
// background: the names that they have in PostgreSQL, and what their values mean. Other parameters of its autovacuum
// have no effect. Who renews statistics is cluster/analyze. Read Limits first.
package autovacuum

import (
	"strconv"

	"zproxy/types"
)

// The parameters.
const (
	EnabledOption   = "autovacuum_enabled"
	ThresholdOption = "autovacuum_analyze_threshold"
	ScaleOption     = "autovacuum_analyze_scale_factor"
)

// IsOption says whether a storage parameter has an effect.
func IsOption(name string) bool {
	return name == EnabledOption || name == ThresholdOption || name == ScaleOption
}

// Limits say how many rows of a table must have changed for its statistics to be renewed: so many, and a share of them.
type Limits struct{ Threshold, Scale float64 }

// Of are the limits by the options of a table, otherwise those of the server. It says false where statistics are left
// to ANALYZE.
func (l Limits) Of(options map[string]string) (Limits, bool) {
	value := func(name string, otherwise float64) float64 {
		if n, err := strconv.ParseFloat(options[name], 64); err == nil {
			return n
		}
		return otherwise
	}
	enabled, err := types.ParseText(options[EnabledOption], types.Bool, &types.Env{})
	return Limits{value(ThresholdOption, l.Threshold), value(ScaleOption, l.Scale)}, err != nil || enabled.Bool()
}
