package opclass

import (
	"testing"

	"zproxy/types"
)

// TestChosen wants of classes by their names what CREATE INDEX keeps of them.
func TestChosen(t *testing.T) {
	for _, c := range []struct {
		name    string
		of      types.OID
		kept    string
		refused string
	}{
		{"int4_ops", types.OIDInt4, "", ""},
		{"pg_catalog.text_ops", types.OIDVarchar, "", ""},
		{"inet_ops", types.OIDCidr, "", ""},
		{"array_ops", types.InfoOf(types.OIDText).Array, "", ""},
		{"jsonb_ops", types.OIDJSONB, "", ""},
		{"varchar_pattern_ops", types.OIDText, "varchar_pattern_ops", ""},
		{"bpchar_pattern_ops", types.OIDText, "", `operator class "bpchar_pattern_ops" does not accept data type text`},
		{"int8_ops", types.OIDInt4, "", `operator class "int8_ops" does not accept data type integer`},
		{"no_ops", types.OIDInt4, "", `operator class "no_ops" does not exist for access method "btree"`},
	} {
		kept, err := Chosen("btree", c.name, types.Of(c.of))
		refused := ""
		if err != nil {
			refused = err.Error()
		}
		if kept != c.kept || refused != c.refused {
			t.Errorf("%s of %s: %q, %q, not %q, %q", c.name, types.Of(c.of), kept, refused, c.kept, c.refused)
		}
	}
}
