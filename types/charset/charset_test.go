package charset

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestThereAndBack takes all codes of one and two bytes to UTF-8 and back: the way back may choose another code of the
// same character, but no other character.
func TestThereAndBack(t *testing.T) {
	for i := range all {
		set := &all[i]
		if !set.Converts() || set.SameAsUTF8() {
			continue
		}
		known := 0
		for code := range 0x8000 {
			char := []byte{0x80 | byte(code>>8), byte(code)}
			if set.alphabet.length(char) == 1 {
				char = char[:1]
			}
			text, err := set.AppendUTF8(nil, char)
			if err != nil {
				continue
			}
			known++
			back, err := set.AppendFrom(nil, text)
			if err != nil {
				t.Fatalf("%s: % x is %q, and has no way back: %v", set.Name, char, text, err)
			}
			if again, err := set.AppendUTF8(nil, back); err != nil || string(again) != string(text) {
				t.Errorf("%s: % x is %q, which is % x, which is %q, %v", set.Name, char, text, back, again, err)
			}
		}
		if known < 100 {
			t.Errorf("%s has %d characters", set.Name, known)
		}
	}
}

// TestReader reads texts in pieces that cut characters.
func TestReader(t *testing.T) {
	text := strings.Repeat("日本語 abc\n", 1000)
	for _, name := range []string{"SJIS", "EUC_JP", "GB18030"} {
		set := Find(name)
		raw, err := set.AppendFrom(nil, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		whole := func() io.Reader { return strings.NewReader(string(raw)) }
		for _, r := range []io.Reader{whole(), iotest.OneByteReader(whole()), iotest.DataErrReader(whole())} {
			if got, err := io.ReadAll(set.NewReader(r)); err != nil || string(got) != text {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
		if _, err := io.ReadAll(set.NewReader(strings.NewReader(string(raw[:1])))); err == nil {
			t.Errorf("%s takes half a character", name)
		}
	}
}
