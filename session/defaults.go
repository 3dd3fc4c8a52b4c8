package session

import (
	"maps"

	"zproxy/session/settings"
	"zproxy/store"
)

// defaultsOn are the settings that sessions begin with on a store: those given, and defaults of its own.
func defaultsOn(c store.Capabilities, given map[string]string) map[string]string {
	out := map[string]string{}
	if c.Units {
		out[settings.FullScanName] = settings.RefuseFullScan // each key that is read costs money
	}
	if c.Expires {
		out[settings.TTLIntervalName] = "0"
	}
	maps.Copy(out, given)
	return out
}
