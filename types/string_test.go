package types_test

import (
	"testing"

	"zproxy/sqlerr"
	"zproxy/types/form"
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
		err := form.CheckUTF8(text)
		if want = `invalid byte sequence for encoding "UTF8": ` + want; err == nil || err.Error() != want || !sqlerr.Has(err, sqlerr.CharacterNotInRepertoire) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
