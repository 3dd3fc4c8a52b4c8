package form

import (
	"testing"

	"zproxy/sqlerr"
)

// TestCheckUTF8 wants the bytes of the first sequence that is wrong, as many as its first byte promises.
func TestCheckUTF8(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT '\xff'":       "0xff",
		"SELECT '\xe2\x82'":   "0xe2 0x82 0x27",
		"SELECT 1\x00":        "0x00",
		"SELECT '\xc3":        "0xc3",
		"SELECT '\ufffd\xf8'": "0xf8",
	} {
		err := CheckUTF8(text)
		want = `invalid byte sequence for encoding "UTF8": ` + want
		if !sqlerr.Has(err, sqlerr.CharacterNotInRepertoire) || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
