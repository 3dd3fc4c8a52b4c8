package types

import (
	"testing"
	"time"
)

// TestClockWords reads the words that depend on when the transaction began.
func TestClockWords(t *testing.T) {
	env := recordedEnv(t)
	env.Now = time.Date(2024, 3, 1, 3, 4, 5, 678_901_234, time.UTC) // the evening before in New York
	for _, c := range []struct {
		typ      T
		in, want string
	}{
		{Date, "now", "2024-02-29"},
		{Date, "today", "2024-02-29"},
		{Date, "Tomorrow", "2024-03-01"},
		{Date, "yesterday", "2024-02-28"},
		{Timestamp, "now", "2024-02-29 22:04:05.678901"},
		{Timestamptz, "now", "2024-02-29 22:04:05.678901-05"},
		{Timestamptz, "today", "2024-02-29 00:00:00-05"},
		{Timestamp, "tomorrow 10:30", "2024-03-01 10:30:00"},
		{Timestamptz, "today allballs", "2024-02-28 19:00:00-05"},
	} {
		v, err := ParseText(c.in, c.typ, env)
		if got := shown(v, err, c.typ, env); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.typ, c.in, got, c.want)
		}
	}
}

func TestLookup(t *testing.T) {
	for in, want := range map[string]OID{
		"int": OIDInt4, "integer": OIDInt4, "int4": OIDInt4, "smallint": OIDInt2, "bigint": OIDInt8,
		"real": OIDFloat4, "float": OIDFloat8, "double": OIDFloat8, "double precision": OIDFloat8,
		"decimal": OIDNumeric, "varchar": OIDVarchar, "character varying": OIDVarchar, "boolean": OIDBool,
		"timestamp": OIDTimestamp, "timestamp with time zone": OIDTimestamptz, "geometry": OIDGeometry,
	} {
		if info, ok := Lookup(in); !ok || info.OID != want {
			t.Errorf("%s: got %v", in, info)
		}
	}
	if _, ok := Lookup("INT"); ok {
		t.Error("INT is found in capitals")
	}
	if info := InfoOf(1 << 31); info == nil || info.SQL != "???" {
		t.Errorf("an unknown OID is %v", info)
	}
}
