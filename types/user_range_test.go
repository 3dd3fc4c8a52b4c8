package types

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestUsersRanges wants ranges of users to be read as they are written, as text and in binary, also in arrays and over
// enums, and such arrays to name the type of their elements.
func TestUsersRanges(t *testing.T) {
	oid, _ := EnumOID(1)
	mood := T{OID: oid, Mod: -1, Def: &Definition{
		Name: "mood", Labels: NewLabels([]Value{NewEnum("F", "sad"), NewEnum("M", "happy")}),
	}}
	of := NewRangeType(2, mood)
	one := T{OID: of.OID, Mod: -1, Def: &Definition{Name: "moods", Range: of}}
	several := T{OID: of.Multirange, Mod: -1, Def: &Definition{Name: "manymoods", Range: of}}
	list, _ := ArrayOf(one)
	for _, c := range []struct {
		of          T
		name, shown string
	}{
		{one, "moods", "[sad,happy)"}, {one, "moods", "empty"}, {one, "moods", "(,happy]"},
		{several, "manymoods", "{[sad,sad],(sad,happy)}"}, {list, "moods[]", `{"[sad,happy)",NULL}`},
	} {
		v, err := ParseText(c.shown, c.of, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, sent := FormatText(v, c.of, nil), AppendBinary(nil, v, c.of)
		back, err := ParseBinary(sent, c.of)
		again, wrong := ParseText(text, c.of, nil)
		if err != nil || wrong != nil || !Identical(back, v) || !Identical(again, v) || c.of.String() != c.name {
			t.Errorf("%s of %s: %s, %v, %v", c.shown, c.of, text, err, wrong)
		}
		if c.of.OID == list.OID && !bytes.Equal(sent[8:12], binary.BigEndian.AppendUint32(nil, uint32(of.OID))) {
			t.Errorf("an array sends %x as the type of its elements", sent[8:12])
		}
	}
}
