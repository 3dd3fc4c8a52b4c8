package autovacuum_test

import (
	"testing"

	"zproxy/catalog/autovacuum"
)

// TestLimits holds what the options of a table make of the limits of the server.
func TestLimits(t *testing.T) {
	server := autovacuum.Limits{Threshold: 50, Scale: 0.1}
	for _, c := range []struct {
		options map[string]string
		want    autovacuum.Limits
		on      bool
	}{
		{nil, server, true},
		{map[string]string{"autovacuum_enabled": "true"}, server, true},
		{map[string]string{"autovacuum_enabled": "off"}, server, false},
		{map[string]string{"autovacuum_enabled": "F"}, server, false},
		{map[string]string{"autovacuum_enabled": "0"}, server, false},
		{map[string]string{"autovacuum_analyze_threshold": "7", "autovacuum_analyze_scale_factor": "0"},
			autovacuum.Limits{Threshold: 7}, true},
		{map[string]string{"autovacuum_analyze_scale_factor": "0.5"}, autovacuum.Limits{Threshold: 50, Scale: 0.5}, true},
	} {
		if got, on := server.Of(c.options); got != c.want || on != c.on {
			t.Errorf("%v: %v, %v, want %v, %v", c.options, got, on, c.want, c.on)
		}
	}
}
